"""Two results files beside each other: what changed in behaviour, and what changed in the specs."""
