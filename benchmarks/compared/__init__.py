"""The parts of benchmarks/run.py. Importing this imports nothing else: `server` and `made` also run where Discreet is not installed."""
