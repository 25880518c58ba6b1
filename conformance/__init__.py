"""A multi-framework conformance suite for scatter and gather operations."""

__version__ = "0.1.0"
