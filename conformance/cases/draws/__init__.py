"""Draws calls from the layout and rules of a spec: valid ones, and ones that break a single rule."""
