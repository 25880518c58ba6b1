"""Rounds of a harness of faults: in each, a command is disturbed at a random moment, or a file is damaged at a random place."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from conformance.results.file import FILE_NAME, Results, ResultsError, read_results
from tests.faults.tally import Tally
from tests.faults.world import Ended, Verdicts, World, chosen, descends, is_worker, strike, verdicts_in, verdicts_of

_UNDISTURBED = "undisturbed"


class Rounds:
    """Makes rounds in a project, and counts what came of them."""

    def __init__(self, folder: Path, tally: Tally) -> None:
        """Run the project once without a fault."""
        self.world = World(folder)
        self.tally = tally
        began = time.monotonic()
        self.first = self.world.done(self.world.run(output=_UNDISTURBED))
        self.seconds = time.monotonic() - began
        """How long an undisturbed run takes on this machine."""
        self.expected = verdicts_in(folder / _UNDISTURBED)
        self._of_pytest: Verdicts | None = None
        self._kind = ""
        self._seed = 0

    def play(self, kind: str, seed: int) -> None:
        """One round of a kind."""
        self._kind, self._seed = kind, seed
        self.tally.rounds[kind] += 1
        KINDS[kind](self, random.Random(seed))
        if left := self.world.remaining():
            self.tally.processes += len(left)
            self._tell(f"{len(left)} processes were left")
        if files := self.world.left_files():
            self.tally.files += len(files)
            self._tell(f"left: {', '.join(path.name for path in files)}")
        self.world.clear()

    @property
    def of_pytest(self) -> Verdicts:
        """What an undisturbed session of pytest finds."""
        if self._of_pytest is None:
            self.world.done(self.world.pytest())
            self._of_pytest = verdicts_in(self.world.folder / "out")
            self.world.clear()
        return self._of_pytest

    def runner(self, dice: random.Random) -> None:
        """A run is killed, and then resumed."""
        self._killed_and_resumed(dice, self.world.run(), self.seconds)

    def client(self, dice: random.Random) -> None:
        """A run on a cluster of this machine is killed, and then resumed."""
        self._killed_and_resumed(dice, self.world.run("--on", "local:2"), 2 * self.seconds)

    def worker(self, dice: random.Random) -> None:
        """A fork server or workers are killed while a run makes calls."""
        self._others_killed(dice, self.world.run(), lambda one, _: is_worker(one))

    def cluster(self, dice: random.Random) -> None:
        """Of a run on a cluster of this machine, a process of the cluster or of a unit is killed."""
        command = self.world.run("--on", "local:2")
        self._others_killed(dice, command, lambda one, run: one != run and descends(one, run))

    def pytest(self, dice: random.Random) -> None:
        """A session of pytest is killed, and another one follows."""
        expected, workers = self.of_pytest, dice.choice(["0", "2"])
        with self.world.started(self.world.pytest("-n", workers)) as process:
            time.sleep(dice.uniform(0, self.seconds))
            self._struck(strike(process.pid))
        self.world.remaining()
        folder = self.world.folder / "out"
        if (folder / FILE_NAME).exists() and (folder / FILE_NAME).stat().st_size:
            self._compare(self._read(folder), expected, whole=False)
        self._check(self.world.done(self.world.pytest()), 1)
        self._compare(self._read(folder), expected, whole=True)

    def xdist_worker(self, dice: random.Random) -> None:
        """A worker of pytest-xdist is killed: the session has all results, or says that it has not."""
        expected = self.of_pytest
        with self.world.started(self.world.pytest("-n", "2")) as process:

            def is_one(one: int) -> bool:
                return one != process.pid and descends(one, process.pid) and not is_worker(one)

            self._struck(self._strike_one(dice, process, is_one))
            ended = self.world.ended(process)
        if _ended_before_the_session(ended):
            return
        self._check(ended, 1)
        results = self._read(self.world.folder / "out")
        if results is not None:
            self._compare(results, expected, whole=results.complete)

    def results_file(self, dice: random.Random) -> None:
        """A results file is damaged: it is refused, said to be incomplete, or other than the whole one."""
        folder = self.world.folder / "out"
        shutil.copytree(self.world.folder / _UNDISTURBED, folder)
        damage(dice, folder / FILE_NAME)
        self._struck(is_struck=True)
        self._check(self.world.done(self.world.command("report", "out")), 0, 1, 2, 4)
        ended = self.world.done(self.world.command("diff", _UNDISTURBED, "out"))
        self._check(ended, 0, 1, 2, 4)
        if ended.status == 0:
            self._compare(self._read(folder), self.expected, whole=True)

    def home(self, dice: random.Random) -> None:
        """Files in the folder of the suite's data are damaged: they are made again, or not used."""
        self._check(self.world.done(self.world.command("list", "cases", "--specs", "specs")), 0)
        files = sorted(path for path in self.world.home.rglob("*") if path.is_file())
        for path in dice.sample(files, min(3, len(files))):
            damage(dice, path)
        self._struck(bool(files))
        listed = [
            self.world.done(self.world.command("list", "cases", "--specs", where)).text
            for where in ("specs", "./specs")
        ]
        if listed[0] != listed[1]:
            self._wrong(Ended(0, "another list of cases:\n" + listed[0]))
        self._check(self.world.done(self.world.run()), 1)
        self._compare(self._read(self.world.folder / "out"), self.expected, whole=True)

    def settings(self, dice: random.Random) -> None:
        """Settings, known divergences or specs are damaged: the command says so, or does what the undisturbed one does."""
        path = self.world.folder / dice.choice(["pyproject.toml", "divergences.yaml", "specs/gather_elements.yaml"])
        original = path.read_bytes()
        damage(dice, path)
        self._struck(is_struck=True)
        try:
            ended = self.world.done(self.world.run())
        finally:
            path.write_bytes(original)
        self._check(ended, 0, 1, 4, 5)
        if ended.status == 4 and path.name not in ended.text and "specs" not in ended.text:
            self._wrong(ended)

    def _killed_and_resumed(self, dice: random.Random, command: Sequence[str], seconds: float) -> None:
        folder = self.world.folder / "out"
        with self.world.started(command) as process:
            time.sleep(dice.uniform(0, 1.1 * seconds))
            self._struck(strike(process.pid))
        self.world.remaining()
        earlier = verdicts_of(results) if (results := self._read_quietly(folder)) is not None else {}
        ended = self.world.done([*command, "--resume", "out"])
        if ended.status == 4 and not earlier:  # there was nothing to resume
            ended = self.world.done(command)
        self._check(ended, 1)
        self._compare(self._read(folder), {**self.expected, **earlier}, whole=True)

    def _others_killed(self, dice: random.Random, command: Sequence[str], is_one: Callable[[int, int], bool]) -> None:
        with self.world.started(command) as process:
            strikes = [
                self._strike_one(dice, process, lambda one: is_one(one, process.pid))
                for _ in range(dice.choice([1, 1, 2]))
            ]
            self._struck(any(strikes))
            ended = self.world.ended(process)
        if ended.status in (2, 6):  # it said that results are missing, since what started was killed too often
            self._check(ended, 2, 6)
            ended = self.world.done([*command, "--resume", "out"])
        self._check(ended, 1)
        self._compare(self._read(self.world.folder / "out"), self.expected, whole=True)

    def _strike_one(self, dice: random.Random, process: subprocess.Popen[bytes], is_one: Callable[[int], bool]) -> bool:
        """Kill one of some processes a while after there is one; whether it was running."""
        while not chosen(self.world.processes(), is_one) and process.poll() is None:
            time.sleep(0.05)
        time.sleep(dice.uniform(0, 0.4) * self.seconds)
        found = chosen(self.world.processes(), is_one)
        return bool(found) and strike(dice.choice(found))

    def _struck(self, is_struck: bool) -> None:
        self.tally.struck[self._kind] += is_struck

    def _check(self, ended: Ended, *statuses: int) -> None:
        if ended.is_internal_error or ended.status not in statuses:
            self._wrong(ended)

    def _wrong(self, ended: Ended) -> None:
        self.tally.wrong_ends += 1
        _, found, after = ended.text.strip().rpartition("Traceback")
        self._tell(f"exit status {ended.status}: {found + after[:900] if found else after[-600:]}")

    def _read(self, folder: Path) -> Results | None:
        try:
            return read_results(folder)
        except ResultsError as error:
            self.tally.wrong_ends += 1
            self._tell(str(error))
            return None

    def _read_quietly(self, folder: Path) -> Results | None:
        try:
            return read_results(folder)
        except ResultsError:  # it was killed before it had written the first line
            return None

    def _compare(self, results: Results | None, expected: Verdicts, *, whole: bool) -> None:
        found = verdicts_of(results) if results is not None else {}
        missing = expected.keys() - found.keys() if whole else set()
        differing = [call for call in found.keys() & expected.keys() if found[call] != expected[call]]
        self.tally.lost += len(missing)
        self.tally.differing += len(differing) + len(found.keys() - expected.keys())
        if missing:
            self._tell(f"{len(missing)} results are missing, such as that of {min(missing)}")
        for call in differing[:3]:
            self._tell(f"{call}: {found[call]} instead of {expected[call]}")

    def _tell(self, account: str) -> None:
        self.tally.accounts.append(f"{self._kind}, seed {self._seed}: {account}")


def _ended_before_the_session(ended: Ended) -> bool:
    """Whether pytest-xdist gave up because a worker was killed while it started it, which it does with a traceback and status 3."""
    return ended.status == 3 and "in setup_node" in ended.text and "EOFError" in ended.text


def damage(dice: random.Random, path: Path) -> None:
    """Change bits of a file, cut it, repeat or exchange a part of it, or put other bytes into it."""
    content = path.read_bytes() or b"\0"
    place, other = sorted(dice.randrange(len(content)) for _ in range(2))
    match dice.randrange(6):
        case 0:
            content = content[:place]
        case 1:
            content = content[:place] + bytes([content[place] ^ 1 << dice.randrange(8)]) + content[place + 1 :]
        case 2:
            content = content[:place] + content[other:]
        case 3:
            content = content[:other] + content[place:]
        case 4:
            content = content[:place] + dice.randbytes(dice.randrange(1, 20)) + content[place:]
        case _:
            lines = content.splitlines(keepends=True)
            first, second = (dice.randrange(len(lines)) for _ in range(2))
            lines[first], lines[second] = lines[second], lines[first]
            content = b"".join(lines)
    path.write_bytes(content)


KINDS: dict[str, Callable[[Rounds, random.Random], None]] = {
    "run killed": Rounds.runner,
    "worker killed": Rounds.worker,
    "pytest killed": Rounds.pytest,
    "xdist worker killed": Rounds.xdist_worker,
    "results damaged": Rounds.results_file,
    "home damaged": Rounds.home,
    "settings damaged": Rounds.settings,
    **({"client killed": Rounds.client, "cluster killed": Rounds.cluster} if find_spec("distributed") else {}),
}


def play_for(seconds: float, folder: Path, seed: int, kinds: Sequence[str], tell: Callable[[str], None]) -> Tally:
    """Rounds of these kinds, in turn, until so many seconds are over."""
    tally = Tally()
    rounds = Rounds(folder, tally)
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        told = len(tally.accounts)
        rounds.play(kinds[number % len(kinds)], seed + number)
        for account in tally.accounts[told:]:
            tell(account)
        number += 1
    return tally
