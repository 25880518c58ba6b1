"""Several runs as one: shards and versions that ran apart, put together, and what changed from version to version."""
