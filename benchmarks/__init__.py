"""Measurements of what the suite costs; docs/performance.md has the figures."""
