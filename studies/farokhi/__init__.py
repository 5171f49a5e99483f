"""Farokhi 2020: noise shaped by Fisher information, on records that support vector machines and regressions are trained on."""
