"""Results files: their records, reading, writing and order."""
