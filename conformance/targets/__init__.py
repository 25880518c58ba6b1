"""A target's name, its definition, its environment and its process."""
