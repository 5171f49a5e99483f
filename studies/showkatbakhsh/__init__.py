"""Showkatbakhsh, Karakus, Diggavi 2018: noisy rows and secret sketches for least squares."""
