"""Malformed input of every kind: one sentence, no file, no private value."""
