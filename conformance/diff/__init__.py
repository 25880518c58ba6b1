"""Compare two results files: what changed in behaviour, and what changed in the specs."""
