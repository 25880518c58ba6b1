"""The public functions and types of ``conformance``."""
