"""What derives cases from others: each file one kind of variation."""
