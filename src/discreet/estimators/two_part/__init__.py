"""A fit and another question about its records in one budget, under one certificate: intervals, calibrated probabilities, bin edges."""
