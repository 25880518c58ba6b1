"""One result as a stand-alone script in the framework's own terms, run before it is shown."""
