"""What is kept of cases between commands: files of data that cannot run code, each with a digest of what it depends on."""
