"""Reports of a results file, for people and for programs."""
