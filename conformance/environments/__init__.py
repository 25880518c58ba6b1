"""From the name of a target to its definition and its environment."""
