"""`discreet inspect`: what a release is, what it protects, what it does not, and how to use it."""

import click

from discreet.cli.output import answer, examples, heading, json_option


@click.command(
    "inspect", short_help="Say what a release protects and how to use it.", epilog=examples("discreet inspect noisy", "discreet inspect noisy --json")
)
@click.argument("folder", type=click.Path())
@json_option
def inspect_release(*, folder: str, as_json: bool) -> None:
    """Print what the release in FOLDER is, what it protects and does not, and how to use it. To check it, use `discreet verify`."""
    from discreet.releases import read_release  # noqa: PLC0415 - imports of the library wait until they are needed

    release = read_release(folder)
    lines: list[str] = []
    for title, said in release.inspection():
        code = title.startswith("How")
        lines += [heading(title), *(f"  {line}" if code else f"  - {line}" for line in said), ""]
    document = {"command": "inspect", "release": folder, **release.inspection_record(), "certificate": release.certificate.to_dict()}
    answer(document, [*lines, f"Check it with: discreet verify {folder}"], as_json=as_json)
