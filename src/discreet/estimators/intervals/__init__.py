"""How far coefficients and decisions may be from what they estimate, computed from what was released."""
