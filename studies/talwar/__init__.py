"""Talwar, Thakurta, Zhang 2014: private risk minimisation over a constraint set."""
