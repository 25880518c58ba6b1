"""Cases in the formats of other programs."""
