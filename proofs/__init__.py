"""Machine-checked parts of the proofs: `python -m proofs.core`, and core.md for what it leaves to a reader."""
