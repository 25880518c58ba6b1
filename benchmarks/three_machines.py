"""A scheduler and three machines as network namespaces: `sudo python -m benchmarks.three_machines`.

Each machine has a network of its own behind a bridge, and a home folder of its own. Compares the results of a plain run with
those of a run there, and of one in which a worker is killed, one joins late, and one is paused for 30 seconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from conformance.results.file import read_results
from tests.execution.sharded import without_times

REPOSITORY = Path(__file__).parent.parent
TARGETS = 4
SPECS = REPOSITORY / "tests" / "fakes" / "specs"
ADAPTER = (REPOSITORY / "tests" / "fakes" / "strides.py").read_text()
ADDRESS = "tcp://10.77.0.1:8786"
PAUSE = 30
Process = subprocess.Popen[bytes]


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)  # noqa: S607 - of the system


@contextmanager
def network(machines: int) -> Iterator[list[str]]:
    """The names of network namespaces whose addresses are 10.77.0.1, 10.77.0.2, and so on."""
    names = [f"conformance{number}" for number in range(machines)]
    with ExitStack() as stack:
        ip("link", "add", "conformance", "type", "bridge")
        stack.callback(ip, "link", "del", "conformance")
        ip("link", "set", "conformance", "up")
        for number, name in enumerate(names):
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            ip("link", "add", f"cf{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", f"cf{number}", "master", "conformance", "up")
            ip("-n", name, "address", "add", f"10.77.0.{number + 1}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield names


class Room:
    """Processes in namespaces, which end with it."""

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        self._names = names
        self._folder = folder
        self.workers: list[Process] = []
        self._processes: list[Process] = []

    def start(self, machine: int, *words: str, **variables: str) -> Process:
        """Start a Python program on a machine."""
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(
                ["ip", "netns", "exec", self._names[machine], sys.executable, *words],  # noqa: S607
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": str(REPOSITORY), **variables},
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process

    def worker(self, machine: int) -> None:
        command = ("-m", "distributed.cli.dask_worker", ADDRESS, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self.workers.append(self.start(machine, *command, CONFORMANCE_HOME=str(self._folder / f"home{machine}")))

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


def command(output: str, *more: str) -> list[str]:
    names = [f"./sleeps{number}.py" for number in range(TARGETS)]
    options = ["--here", "--specs", str(SPECS), "--fail-on", "never", "--output", output]
    return ["-m", "conformance", "run", *names, *options, *more]


def on_machines(folder: Path, output: str, happens: Callable[[Room, Path], None]) -> float:
    """Seconds of a run on three machines, during which something happens."""
    with network(4) as names, ExitStack() as stack:
        room = Room(names, folder)
        stack.callback(room.close)
        room.start(0, "-m", "distributed.cli.dask_scheduler", "--host", "10.77.0.1", "--no-dashboard")
        for machine in (1, 2, 3):
            room.worker(machine)
        begun = time.perf_counter()
        run = room.start(0, *command(output, "--on", ADDRESS, "--insecure"))
        happens(room, folder / output / "results.jsonl")
        assert run.wait() == 0, (folder / "log").read_text()
        return time.perf_counter() - begun


def nothing(_room: Room, _file: Path) -> None:
    """No incident."""


def incidents(room: Room, file: Path) -> None:
    """Kill a worker once it has sent results, start another one, and pause a third."""
    while not file.exists() or file.read_bytes().count(b'"kind":"result"') < 100:
        time.sleep(0.2)
    room.workers[0].kill()
    room.worker(1)
    room.workers[1].send_signal(signal.SIGSTOP)
    time.sleep(PAUSE)
    room.workers[1].send_signal(signal.SIGCONT)


def main() -> None:
    """Print how long each run took, and whether its results are those of the plain run."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number in range(TARGETS):
            sleeping = ADAPTER.replace("return np", "import time; time.sleep(0.05); return np")
            (folder / f"sleeps{number}.py").write_text(sleeping)
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, *command("plain", "--jobs", "1", "--quiet")],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        print(
            f"plain, one target at a time: {time.perf_counter() - begun:.0f} s, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        plain = without_times(read_results(folder / "plain"))
        for name, happens in {"undisturbed": nothing, "killed, late, paused": incidents}.items():
            output = name.replace(", ", "-")
            seconds = on_machines(folder, output, happens)
            same = without_times(read_results(folder / output)) == plain
            again = (folder / "log").read_text().count("is done again")
            print(
                f"three machines, {name}: {seconds:.0f} s, {len(plain)} records, the same: {same}, "
                f"attempts after a loss: {again}, load {os.getloadavg()[0]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
