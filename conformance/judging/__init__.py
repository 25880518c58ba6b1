"""Comparing outcomes with expectations, and the verdicts."""
