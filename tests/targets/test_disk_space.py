"""Too little disk space is reported before anything is downloaded."""

from __future__ import annotations

import pytest

from conformance.targets.errors import TargetBlocked
from tests.targets.toys import PLAIN, Toys

HUGE = PLAIN.replace('{package = "toy"}', '{package = "toy", size = 1e9}')


def test_what_takes_more_than_the_disk_has_left_is_not_installed(toys: Toys) -> None:
    toys.define(HUGE)
    toys.wheel("1.0.0")
    with pytest.raises(
        TargetBlocked, match=r"toy==1\.0\.0 takes about 1e\+09 GB, and the disk of .* has [\d.]+ GB left"
    ):
        toys.ensure("toy")
    assert toys.folders() == []
    assert not any(line.startswith("installing") for line in toys.said)


def test_a_smaller_build_is_asked_for_its_own_size(toys: Toys) -> None:
    toys.define(HUGE.replace('local = "cpu"', 'local = "cpu", size = 1e-6'))
    toys.wheel("1.0.0")
    toys.wheel("1.0.0+cpu")
    assert toys.ensure("toy").version == "1.0.0+cpu"


def test_what_is_at_hand_already_needs_no_room(toys: Toys) -> None:
    toys.define(HUGE)
    toys.wheel("1.0.0")
    assert toys.ensure("toy", offline=True).version == "1.0.0"


def test_an_environment_that_is_there_is_not_made_again_for_another_estimate(toys: Toys) -> None:
    toys.define()
    toys.wheel("1.0.0")
    made = toys.ensure("toy")
    toys.define(HUGE)
    assert toys.ensure("toy") == made
