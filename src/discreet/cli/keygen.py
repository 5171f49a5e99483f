"""`discreet keygen`: a key pair for `discreet sign` and `discreet verify --key`."""

import click

from discreet.cli.output import answer, examples, json_option


@click.command(
    short_help="Make a key pair to sign with.",
    epilog=examples("discreet keygen custodian", "discreet sign model.json --key custodian.private.pem"),
)
@click.argument("name", type=click.Path())
@json_option
def keygen(*, name: str, as_json: bool) -> None:
    """Write NAME.private.pem, which signs and which only you can read, and NAME.public.pem, which everyone may have (Ed25519).

    Publish the public key and its id once, where people know that it is you who writes there: a signature says no more than that the owner of the
    private key made it. Keep the private key as you keep passwords; existing files are never written over. Needs `pip install discreet[sign]`.
    """
    from discreet.signing import new_key  # noqa: PLC0415 - imports of the library wait until they are needed

    private, public = f"{name}.private.pem", f"{name}.public.pem"
    key = new_key(private, public)
    lines = [f"Private key  {private} (keep it to yourself)", f"Public key   {public} (publish it)", f"Key id       {key}"]
    answer({"command": "keygen", "private": private, "public": public, "key": key}, lines, as_json=as_json)
