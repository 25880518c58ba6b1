"""Runs on several machines: units of work, the engines that carry them, and the process that gathers their results."""
