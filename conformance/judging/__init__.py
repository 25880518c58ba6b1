"""An outcome beside an expectation: comparison and verdict."""
