"""Fitted models as values and as files, with a schema or on arrays, and as plain models of scikit-learn."""
