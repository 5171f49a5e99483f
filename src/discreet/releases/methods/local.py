"""Records that their owners randomised, one by one, and that were collected: no table is released so (module `local` of releases)."""

from discreet.queries import Rows
from discreet.releases.columns import Kind
from discreet.releases.methods.base import Method, of_rows

LOCAL = Method(
    name="local",
    says="records that their owners randomised, collected",
    kind=Kind.ROWS,
    query=Rows,
    noise={"release-gaussian-rows": of_rows},
    collected="local records are randomised by their owners, one by one (`discreet randomise`), and collected; no table is released so.",
    exposes="Owners who answered twice: they spent twice.",
)
