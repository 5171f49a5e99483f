"""Public problem instances that theorems single out, for studies; nothing here knows of records."""

from discreet.sets.instances.fingerprinting import FingerprintingLasso, Records, Uniforms, fingerprinting_lasso

__all__ = ["FingerprintingLasso", "Records", "Uniforms", "fingerprinting_lasso"]
