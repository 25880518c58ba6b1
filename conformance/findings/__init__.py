"""What follows from the results of a run taken together: pure functions over a loaded file."""
