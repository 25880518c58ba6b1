"""Processes that are killed at random moments, and files that are damaged at random places: nothing is lost, and nothing is silent."""
