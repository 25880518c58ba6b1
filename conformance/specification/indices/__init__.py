"""Index arguments: the kinds that a spec can declare, and the positions that the indices of a call mean."""
