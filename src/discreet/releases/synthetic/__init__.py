"""Synthetic tables: rows of nobody, drawn from noisy counts of a schema's columns and of chosen pairs of them."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.releases.synthetic.cells import counting_schema
    from discreet.releases.synthetic.combine import Combined, combined
    from discreet.releases.synthetic.drawing import resume_synthetic
    from discreet.releases.synthetic.fidelity import Fidelity
    from discreet.releases.synthetic.folder import SyntheticTable, read_synthetic
    from discreet.releases.synthetic.plan import SyntheticPlan
    from discreet.releases.synthetic.publish import SyntheticPublication, publish_synthetic
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "Combined",
    "Fidelity",
    "SyntheticPlan",
    "SyntheticPublication",
    "SyntheticTable",
    "combined",
    "counting_schema",
    "publish_synthetic",
    "read_synthetic",
    "resume_synthetic",
]
