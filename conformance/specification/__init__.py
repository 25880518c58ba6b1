"""What the YAML says: the typed model, the loader, rule expressions, documents."""
