"""What came of a call: a closed union of outcomes, read from a worker's reply, and when two of them are the same."""
