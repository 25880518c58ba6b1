"""Runs on several machines: units of work, the Dask cluster that carries them out, and the process that merges their results."""
