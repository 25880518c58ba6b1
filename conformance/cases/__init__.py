"""From a spec to concrete calls with expectations."""
