"""``python -m conformance``."""

from conformance.cli.main import main

main()
