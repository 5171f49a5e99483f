"""Public problem instances that theorems single out, for studies; nothing here knows of records."""

from discreet.instances.fingerprinting import FingerprintingLasso, Records, Uniforms, fingerprinting_lasso

__all__ = ["FingerprintingLasso", "Records", "Uniforms", "fingerprinting_lasso"]
