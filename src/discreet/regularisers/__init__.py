"""Convex regularisers, on all coordinates."""

from discreet.regularisers.l2 import L2

__all__ = ["L2"]
