"""Cases: concrete calls with expectations, built from specs. Called, it is the decorator ``conformance.cases``."""

from conformance.callable_module import make_callable

make_callable(__name__)
