"""A release: a value that may be published, with the certificate that says why."""

from dataclasses import dataclass

from discreet.certificates.certificate import Certificate, Verification
from discreet.core.arrays import Floats
from discreet.core.showing import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Public: safe to save, print and share."""

    value: Floats
    certificate: Certificate
    beside: object = None
    """What the mechanism computed beside the value from the same noisy answers, of a type of its own; public, and in no file or digest."""

    def verify(self) -> Verification:
        """Check the certificate against this value."""
        return self.certificate.verify(self.value)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return shown("certificates.release_view", self)
