"""Checks the suite itself with deliberately wrong adapters, which it must catch, and correct ones, which it must not blame."""
