"""Known divergences: failures that a run may have without failing, each with a reason and a link."""
