"""What a results file looks like to people and programs."""
