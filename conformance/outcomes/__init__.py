"""The outcomes of calls: a closed union, read from the worker's replies, and when two of them are the same."""
