"""What everything stands on: errors, arrays, rounding, files, workers, and the neighbouring relations."""
