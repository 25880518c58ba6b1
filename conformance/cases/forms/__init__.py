"""Calls in forms that are rarely tried, derived for every operation from its layout: empty, of length one, at the limits."""
