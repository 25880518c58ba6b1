"""The application: what the command line, the public functions and the pytest plugin do alike."""
