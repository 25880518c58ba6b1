"""A few rounds of the harness, which ``tox -e faults`` makes for as long as it is told."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.faults.rounds import KINDS, Rounds, damage
from tests.faults.tally import Tally

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell whose a process is")


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> Rounds:
    made = Rounds(tmp_path_factory.mktemp("faults"), Tally())
    assert made.first.status == 1, made.first.text
    assert len(made.expected) > 100
    return made


@pytest.mark.parametrize("kind", ["run killed", "worker killed", "results damaged"])
def test_a_round_loses_and_leaves_nothing(rounds: Rounds, kind: str) -> None:
    """Rounds of the other kinds take longer; what they are about has tests of its own in the rooms that it is about."""
    rounds.play(kind, seed=1)
    assert list(rounds.tally.lines())[-1].startswith("left: 0 processes, 0 temporary"), rounds.tally.accounts
    assert rounds.tally.is_clean, rounds.tally.accounts


def test_what_is_lost_different_or_left_is_counted_and_told(rounds: Rounds, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Rounds, _: random.Random) -> None:
        (self.world.temporary / "left").mkdir()
        call, other = sorted(self.expected)[:2]
        self._compare(None, {call: ("conforms",)}, whole=True)
        self._compare(self._read(self.world.folder / "undisturbed"), {other: ("died",)}, whole=False)

    tally = Tally()
    monkeypatch.setattr(rounds, "tally", tally)
    monkeypatch.setitem(KINDS, "wrong", wrong)
    rounds.play("wrong", seed=5)
    assert not tally.is_clean
    assert (tally.lost, tally.files) == (1, 1)
    assert tally.differing == len(rounds.expected)
    assert all(account.startswith("wrong, seed 5: ") for account in tally.accounts)


def test_damage_changes_a_file_and_the_same_seed_changes_it_in_the_same_way(tmp_path: Path) -> None:
    contents = set()
    for seed in range(20):
        for name in ("one", "two"):
            (tmp_path / name).write_text("a line\nanother line\n" * 5)
            damage(random.Random(seed), tmp_path / name)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
        contents.add((tmp_path / "one").read_bytes())
    assert len(contents) > 10
