"""Runs in the target's interpreter: standard library and NumPy only, Python 3.9 syntax."""
