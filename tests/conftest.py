"""Settings for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.once import make_once

make_once()

# Both measure wall time, which says nothing on a busy machine.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")
