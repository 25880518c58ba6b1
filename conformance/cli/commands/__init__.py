"""The arguments and options of each command. A command imports what it does when it runs, so that a mistake is reported at once."""
