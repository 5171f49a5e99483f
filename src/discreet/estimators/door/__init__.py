"""The way from what a caller passes to `fit` to a mechanism, and back to a fitted estimator: the same for all models."""
