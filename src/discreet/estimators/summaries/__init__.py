"""What fitted models and unfitted estimators say of themselves: coefficients, curves, reasons."""
