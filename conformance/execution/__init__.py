"""Execution of a run: from its plan to the results file."""
