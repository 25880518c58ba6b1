"""The ledgers of known divergences: what a run may meet without failing, with a reason and a link for each."""
