"""The suite tested by itself: deliberately wrong adapters that it must catch, and right ones that it must not blame."""
