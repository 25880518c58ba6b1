"""Specs: the file formats, the typed model, the loader, rule expressions and documents."""
