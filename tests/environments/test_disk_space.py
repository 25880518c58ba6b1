"""Too little disk space is reported before anything is downloaded."""

from __future__ import annotations

import pytest

from conformance.environments.errors import TargetBlocked
from tests.environments.toys import PLAIN, Toys

HUGE = PLAIN.replace('{package = "toy"}', '{package = "toy", size = 1e9}')


def test_a_build_larger_than_the_free_disk_space_is_not_installed(toys: Toys) -> None:
    toys.define(HUGE)
    toys.wheel("1.0.0")
    with pytest.raises(TargetBlocked, match=r"toy==1\.0\.0 needs about 1e\+09 GB, but .* has only [\d.]+ GB free"):
        toys.ensure("toy")
    assert toys.folders() == []
    assert not any(line.startswith("installing") for line in toys.messages)


def test_a_smaller_build_is_checked_with_its_own_size(toys: Toys) -> None:
    toys.define(HUGE.replace('local = "cpu"', 'local = "cpu", size = 1e-6'))
    toys.wheel("1.0.0")
    toys.wheel("1.0.0+cpu")
    assert toys.ensure("toy").version == "1.0.0+cpu"


def test_offline_no_disk_space_is_required(toys: Toys) -> None:
    toys.define(HUGE)
    toys.wheel("1.0.0")
    assert toys.ensure("toy", offline=True).version == "1.0.0"


def test_an_existing_environment_is_not_recreated_for_another_estimate(toys: Toys) -> None:
    toys.define()
    toys.wheel("1.0.0")
    environment = toys.ensure("toy")
    toys.define(HUGE)
    assert toys.ensure("toy") == environment
