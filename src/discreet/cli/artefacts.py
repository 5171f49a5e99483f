"""What `discreet verify`, `show`, `report` and `sign` take: one table of the kinds of files and folders that carry a certificate.

A file says its format, "discreet-KIND/VERSION"; a release is a folder with a manifest. A kind is an entry in `KINDS`: it is read strictly, by
the reader of its own module, which refuses other versions; everything else is asked of what was read.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import discreet
from discreet.core.errors import FileFormatError, quoted
from discreet.core.files.reading import is_folder, opened, read_text
from discreet.core.files.strict_json import read_object

MANIFEST = "manifest.json"
_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True)
class Kind:
    """How things of one kind are read and shown."""

    name: str
    """As in its format."""
    what: str
    """In messages."""
    read: Callable[[str, str], Any]
    """Makes one from its path and the text of its file, or of its manifest. Raises FileFormatError for anything but what this version writes."""
    shown: Callable[[Any], tuple[list[str], dict[str, object]]]
    """What it is in words, before the certificate, and as JSON."""
    whole: bool = True
    """Whether what was released is in it, so that it can be compared with the certificate's digest."""


def shown_model(value: Any, **bought: Any) -> tuple[list[str], dict[str, object]]:
    """What a model is; `bought` intervals are those of its file, `IntervalFile.beside`."""
    from discreet.cli.models import described

    schema, summary = value.schema, value.summary(**bought)
    named = {"kind": value.kind, "features": schema.features, "schema": schema.to_dict(), "summary": summary.to_dict()}
    return [f"Model: {described(value)}; schema {schema.name!r}", *str(summary).splitlines()], named


def _shown_array_model(value: Any) -> tuple[list[str], dict[str, object]]:
    labels = [discreet.data.labels.canonical(label) for label in value.labels]
    answers = f"classes {quoted(labels)}" if labels else "a number, in the unit of the targets of its fit"
    said = {"kind": value.kind, "features": value.features, "classes": labels}
    return [f"Model of arrays: {value.kind.replace('-', ' ')}, {value.features} features, {answers}"], said


def _shown_certificate(value: Any) -> tuple[list[str], dict[str, object]]:
    return [f"Certificate of a release by {value.mechanism}; what was released is not in this file"], {}


def _shown_evaluation(value: Any) -> tuple[list[str], dict[str, object]]:
    from discreet.cli.evaluate import evaluation_lines

    return ["Private evaluation of a model", *evaluation_lines(value)], _stated(value)


def _shown_description(value: Any) -> tuple[list[str], dict[str, object]]:
    from discreet.cli.describe import description_lines

    return ["Private description of a table", *description_lines(value)], _stated(value)


def _shown_intervals(value: Any) -> tuple[list[str], dict[str, object]]:
    from discreet.cli.evaluate import interval_lines

    return ["Intervals for the coefficients of a model", *interval_lines(value)], _stated(value)


def _stated(value: Any) -> dict[str, object]:
    """What it says besides its certificate."""
    return {name: inner for name, inner in value.to_dict().items() if name not in {"format", "certificate"}}


def _shown_record(value: Any) -> tuple[list[str], dict[str, object]]:
    columns = dict(zip(value.columns, value.values.tolist(), strict=True))
    lines = ["One record, randomised by its owner", *(f"  {column} = {number:.10g}" for column, number in columns.items())]
    return lines, {"columns": columns}


def _read_release(path: str, text: str) -> Any:
    """Of whatever method: its manifest says the format."""
    from discreet.releases.manifest import SYNTHETIC

    if f'"{SYNTHETIC}"' in text:
        from discreet.releases.synthetic.folder import synthetic_from

        return synthetic_from(Path(path), text)
    from discreet.releases.release import release_from

    return release_from(Path(path), text)


def _shown_release(value: Any) -> tuple[list[str], dict[str, object]]:
    rows, columns = value.shape
    what = "columns" if value.method == "synthetic" else "numbers"
    words = f"Release: {value.name!r}, method {value.method}, {rows} rows of {columns} {what}; `discreet inspect` says how to use it"
    return [words], {"method": value.method, "rows": rows, "columns": [column.name for column in value.columns]}


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("model", "model file", lambda _, text: discreet.Model.from_json(text), shown_model),
        Kind("arraymodel", "model of arrays", lambda _, text: discreet.ArrayModel.from_json(text), _shown_array_model),
        Kind("certificate", "certificate", lambda _, text: discreet.Certificate.from_json(text), _shown_certificate, whole=False),
        Kind("release", "release folder", _read_release, _shown_release),
        Kind("evaluation", "evaluation", lambda _, text: discreet.evaluation.stored.evaluation_from(text), _shown_evaluation),
        Kind("description", "description", lambda _, text: discreet.descriptions.stored.description_from(text), _shown_description),
        Kind("intervals", "interval file", lambda _, text: discreet.estimators.IntervalFile.from_json(text), _shown_intervals),
        Kind("record", "randomised record", lambda _, text: discreet.releases.RandomisedRecord.from_line(text), _shown_record),
    )
}
OTHERS = {
    "schema": "a schema: use `discreet schema check`",
    "ledger": "the export of a ledger: use `discreet budget import`",
    "measures": "exact measures of a model, on records declared to need no protection, so it carries no guarantee",
    "signature": "a signature: give the file that was signed, and the signer's public key with `discreet verify --key`",
    "study": "the journal of a study: use `python -m studies run --resume`",
}
"""What has a format and no certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefact:
    """Something that was read."""

    path: str
    kind: Kind
    document: Mapping[str, Any]
    """Its JSON as it stands; of a release the manifest, which holds the digests of its files."""
    value: Any

    @property
    def certificate(self) -> "discreet.Certificate":
        """What it promises; of intervals that of their own release."""
        found: discreet.Certificate = self.value if self.kind.name == "certificate" else self.value.certificate
        return found

    def verify(self) -> "discreet.Verification":
        """Every check with its verdict."""
        found: discreet.Verification = self.value.verify()
        return found


def read_artefact(path: str) -> Artefact:
    """What is in a file or a folder.

    Raises InvalidInput where nothing can be read; FileFormatError, with the path, for what is of no kind, of another version or damaged.
    """
    if is_folder(path):
        text = read_text(Path(path) / MANIFEST, what="manifest", remedy=f"The folder {path!r} is not a release: give {known()}.")
        return _read(path, KINDS["release"], text)
    if is_ledger(path):
        raise FileFormatError(f"{path!r} is a ledger, which has no certificate. Use `discreet budget show`, or `discreet report` for a page.")
    text = read_text(path, what="file", remedy=f"Give {known()}.")
    found = re.search(r'"?format"?\s*[:=]\s*"discreet-([a-z]+)/', text[:4096]) if not text.lstrip().startswith("{") else None
    if found and found.group(1) in OTHERS:
        raise FileFormatError(f"{path!r} has no certificate; it is {OTHERS[found.group(1)]}.")
    try:
        stated = read_object(text, what="a file with a certificate").get("format")
    except FileFormatError as error:
        refusal = FileFormatError(f"{path!r} is not a usable file with a certificate: {error}")
    else:
        return _read(path, _kind_of(stated, path), text)
    raise refusal


def known() -> str:
    """All kinds, in words."""
    *most, last = (f"{'an' if kind.what[0] in 'aeiou' else 'a'} {kind.what}" for kind in KINDS.values())
    return f"{', '.join(most)} or {last}"


def is_ledger(path: str) -> bool:
    """Whether a file is an SQLite database, as ledgers are."""
    try:
        with opened(path) as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False


def _kind_of(stated: object, path: str) -> Kind:
    found = re.fullmatch(r"discreet-([a-z]+)/\d{1,9}", stated) if isinstance(stated, str) else None
    name = "" if found is None else found.group(1)
    if name in OTHERS:
        raise FileFormatError(f"{path!r} has no certificate; it is {OTHERS[name]}.")
    if name not in KINDS or name == "release":
        said = f"the format {stated[:60]!r}" if isinstance(stated, str) else "no format"
        raise FileFormatError(f"{path!r} states {said}; this version knows {known()}.")
    return KINDS[name]


def _read(path: str, kind: Kind, text: str) -> Artefact:
    try:
        return Artefact(path=path, kind=kind, value=kind.read(path, text), document=read_object(text, what=f"a {kind.what}"))
    except FileFormatError as error:
        refusal = FileFormatError(f"{path!r} is not a usable {kind.what}: {error}")
    raise refusal
