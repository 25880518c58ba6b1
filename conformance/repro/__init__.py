"""Stand-alone scripts that reproduce a result with the framework's own calls; each is run before it is printed."""
