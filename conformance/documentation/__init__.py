"""What a framework's own docstrings say, sentence by sentence, and which claims of the documents rest on it."""
