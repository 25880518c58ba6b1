"""Findings that involve several results of a run: pure functions over a loaded results file."""
