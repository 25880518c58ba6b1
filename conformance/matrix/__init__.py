"""Merge separate runs of shards and versions into one, and show what changed from version to version."""
