"""Plan, runner, events and the results file."""
