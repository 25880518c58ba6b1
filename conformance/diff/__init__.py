"""Compare two results files: what changed in behaviour, and what changed in the specs. Called, it is the function ``conformance.diff``."""

from conformance.callable_module import make_callable

make_callable(__name__)
