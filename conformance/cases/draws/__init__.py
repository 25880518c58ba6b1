"""Calls drawn from a spec's layout and rules: those that keep every rule, and those that break one."""
