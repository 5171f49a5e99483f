"""Mechanisms that are run, and the noise that is recovered from what leaves them beside the law that their certificates state."""
