"""Tu 2013: projections of the columns with noise."""
