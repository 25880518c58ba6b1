"""Cases: concrete calls with expectations, built from specs."""
