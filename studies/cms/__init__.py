"""Chaudhuri, Monteleoni, Sarwate 2011: private empirical risk minimisation."""
