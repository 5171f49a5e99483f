"""Mechanisms: a public problem, private records and noise in; a release with its guarantee out."""
