"""The options of a request to run cases: one list, from which the command line, pytest, a project's settings, the checks
of the public functions, and the words of other command lines are derived.

It imports next to nothing, since every command line and every start of pytest imports it.
"""  # noqa: D205

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from conformance.cases.shards import Shard
    from conformance.judging.vocabulary import FailOn
    from conformance.processes.worker_starter import StartMethod

DEFAULT_TARGETS = ("reference", "torch", "tensorflow", "mindspore")
QUICK_TARGETS = ("jax",)
"""The default of ``--quick``: the framework whose environment is the smallest."""
OUTPUT = Path("conformance-report")
"""The default output of a run: a link to the folder of the last one that is whole."""
RUNS = Path("conformance-results")
"""The folder that has a folder for each run without --output."""
STREAM = Path("-")
"""The output folder that stands for standard output."""

Shapes = Literal["cases", "results", "stopping", "machine", "output"]
"""What an option decides: which calls are made, what they may give, when a run stops or fails, where and how it runs, or
what is written of it."""


@dataclass(frozen=True)
class Option:
    """How an option is written, which values it has, and where it is valid besides the command line."""

    flag: str
    """Such as ``--draws``; ``-k`` if it has no long name."""
    help: str
    kind: type
    """Of a value, as one that is given several times has several."""
    shapes: Shapes
    metavar: str | None = None
    short: str | None = None
    several: bool = False
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    hidden: bool = False
    record: str | None = None
    """The field of a run's record that holds it; what else shapes cases is in its selection."""
    in_pytest: bool = False
    """As ``--conformance-draws``."""
    in_project: tuple[str, ...] = ()
    """The commands whose default ``[tool.conformance]`` may set."""
    in_unit: bool = False
    """Another machine needs it to run a part of the cases."""

    @property
    def key(self) -> str:
        """The key in ``[tool.conformance]``."""
        return self.flag.lstrip("-")

    @property
    def pytest_flag(self) -> str:
        return f"--conformance-{self.key}"

    def mistake(self, value: object) -> tuple[str, str] | None:
        """What a value is that it may not be, and what is allowed; None if it is allowed."""
        if self.choices and value not in self.choices:
            return "unknown", f"allowed: {', '.join(self.choices)}"
        if self.kind in (int, float):
            return self._mistaken_number(value)
        if self.kind is Path and not isinstance(value, (str, Path)):
            return "no path", "expected a string"
        return None

    def _mistaken_number(self, value: object) -> tuple[str, str] | None:
        import numbers

        expected: type = numbers.Integral if self.kind is int else numbers.Real
        if isinstance(value, bool) or not isinstance(value, expected):
            return "no number", f"expected a {'whole ' if self.kind is int else ''}number{self._range(', ')}"
        least, most = (
            (-float("inf") if self.least is None else self.least),
            (float("inf") if self.most is None else self.most),
        )
        if not least <= value <= most:  # type: ignore[operator]  # NaN is in no range
            return "out of range", f"allowed: {self._range()}"
        return None

    def _range(self, before: str = "") -> str:
        """``at least 1``, ``0 to 100``; nothing without limits."""
        if self.least is None:
            return ""
        return f"{before}at least {self.least}" if self.most is None else f"{before}{self.least} to {self.most}"


def _option(flag: str, help: str, kind: type, shapes: Shapes, **more: Any) -> dict[str, Option]:  # noqa: A002
    return {"option": Option(flag, help, kind, shapes, **more)}


@dataclass(frozen=True)
class RunOptions:
    """A request to run cases. Its fields with an option are the rows of the list."""

    words: tuple[str, ...]
    """Targets and ids of cases."""
    output: Path
    command: str | None = None
    """How the run is requested, for its record; None if the command line of this process requests it."""
    operations: tuple[str, ...] = field(default=(), metadata=_option(
        "--operation", "Only this operation; may be repeated.",
        str, "cases", metavar="NAME", several=True, in_pytest=True, in_unit=True,
    ))  # fmt: skip
    keyword: str | None = field(default=None, metadata=_option(
        "-k", "Only cases whose ids match, as in pytest: 'gather and not float'.",
        str, "cases", metavar="EXPR", in_unit=True,
    ))  # fmt: skip
    apis: tuple[str, ...] = field(default=(), metadata=_option(
        "--api", "Only calls of this API, or of those that match a pattern such as 'torch.Tensor.*'; may be repeated.",
        str, "cases", metavar="GLOB", several=True, in_unit=True,
    ))  # fmt: skip
    case_files: tuple[Path, ...] = field(default=(), metadata=_option(
        "--case", "Only the case in this file; may be repeated.",
        Path, "cases", metavar="FILE", several=True, in_unit=True,
    ))  # fmt: skip
    quick: bool = field(default=False, metadata=_option(
        "--quick", f"Only the worked examples as they are printed, by default on {', '.join(QUICK_TARGETS)}.",
        bool, "cases", in_unit=True,
    ))  # fmt: skip
    smoke: bool = field(default=False, metadata=_option(
        "--smoke", "Only one call that breaks each rule, with its control.", bool, "cases", in_unit=True,
    ))  # fmt: skip
    large: bool = field(default=False, metadata=_option(
        "--large", "Only calls whose arrays have 2 to 8 GB, and more than 2^31 elements; those for which memory is short are skipped.",
        bool, "cases", in_unit=True,
    ))  # fmt: skip
    last_failed: bool = field(default=False, metadata=_option(
        "--lf", "Only cases that failed in the last run in the output folder.", bool, "cases",
    ))  # fmt: skip
    specs: Path | None = field(default=None, metadata=_option(
        "--specs", "Your own spec file or folder; its relations may call the suite's operations, and commands that run targets also take ids of the suite's cases.",
        Path, "cases", metavar="PATH", record="spec_digest", in_pytest=True, in_unit=True, in_project=("run", "list", "show", "repro", "matrix", "adapter check"),
    ))  # fmt: skip
    transforms: str = field(default="sample", metadata=_option(
        "--transforms", "Which derivatives and batches: those of a sample of calls, of all, none, or all of one kind.",
        str, "cases", choices=("sample", "all", "none", "vjp", "jvp", "vmap", "vmap-vjp", "vjp-vmap", "vjp-vjp", "jvp-vjp"), in_unit=True,
    ))  # fmt: skip
    draws: int = field(default=0, metadata=_option(
        "--draws", "Random calls per rule that break it, and as many valid calls per operation.",
        int, "cases", metavar="N", least=0, most=100_000, record="draws", in_pytest=True, in_unit=True, in_project=("run", "matrix"),
    ))  # fmt: skip
    programs: int = field(default=0, metadata=_option(
        "--programs", "Random programs in all: two to five statements around calls, which a mode compiles as a whole.",
        int, "cases", metavar="N", least=0, most=100_000, record="programs", in_pytest=True, in_unit=True, in_project=("run", "matrix"),
    ))  # fmt: skip
    seed: int = field(default=0, metadata=_option(
        "--seed", "Seed for drawn calls and programs; the same seed gives the same ones.",
        int, "cases", metavar="N", record="seed", in_pytest=True, in_unit=True,
    ))  # fmt: skip
    shard: Shard | None = field(default=None, metadata=_option(
        "--shard", "Run only part K of N; merge the results with `conformance report`.",
        str, "cases", metavar="K/N", record="shard",
    ))  # fmt: skip
    only: Path | None = field(default=None, metadata=_option(
        "--only", "A file with the ids of cases that another machine has selected.",
        Path, "cases", hidden=True, in_unit=True,
    ))  # fmt: skip
    python: Path | None = field(default=None, metadata=_option(
        "--python", "Run targets in this interpreter.", Path, "machine", metavar="PATH", in_pytest=True, in_unit=True,
    ))  # fmt: skip
    here: bool = field(default=False, metadata=_option(
        "--here", "Run targets in the interpreter that runs this command.",
        bool, "machine", in_pytest=True, in_unit=True,
    ))  # fmt: skip
    offline: bool = field(default=False, metadata=_option(
        "--offline", "Use only installed or cached packages.", bool, "machine", in_pytest=True, in_unit=True,
    ))  # fmt: skip
    parallel: int | None = field(default=None, metadata=_option(
        "--jobs", "Maximum number of targets to run in parallel; by default cores + 1, if memory allows.",
        int, "machine", metavar="N", least=1,
    ))  # fmt: skip
    timeout: float = field(default=30.0, metadata=_option(
        "--timeout", "Time limit per call in seconds.",
        float, "results", metavar="S", least=0.1, in_pytest=True, in_unit=True,
    ))  # fmt: skip
    hangs_per_clause: int = field(default=3, metadata=_option(
        "--hangs-per-clause", "After N calls of a clause hung on an API, make no more of them there.",
        int, "results", metavar="N", least=1, in_unit=True,
    ))  # fmt: skip
    hangs_per_target: int = field(default=10, metadata=_option(
        "--hangs-per-target", "After N calls of a target hung, make no more that are like them.",
        int, "results", metavar="N", least=1, in_unit=True,
    ))  # fmt: skip
    hang_seconds: float = field(default=180.0, metadata=_option(
        "--hang-seconds", "Wait for calls of a target that hang, and for their repetitions, for this time in all.",
        float, "results", metavar="S", least=0.1, in_unit=True,
    ))  # fmt: skip
    start_limit: float = field(default=180.0, metadata=_option(
        "--start-timeout", "Time limit for importing an adapter and its framework in seconds.",
        float, "machine", metavar="S", least=0.1, in_unit=True,
    ))  # fmt: skip
    start: StartMethod = field(default="auto", metadata=_option(
        "--start", "Fork workers from a process that imported the framework, or start each as a new process.",
        str, "machine", choices=("auto", "fork", "spawn"), in_unit=True,
    ))  # fmt: skip
    memcheck: bool = field(default=False, metadata=_option(
        "--memcheck", "Run targets below valgrind's memcheck, which sees what calls read and write outside their memory; slow.",
        bool, "cases", in_unit=True,
    ))  # fmt: skip
    fresh_compile: bool = field(default=False, metadata=_option(
        "--fresh-compile", "Use nothing that compilers kept in earlier runs.", bool, "machine", in_pytest=True, in_unit=True,
    ))  # fmt: skip
    fail_on: FailOn = field(default="own", metadata=_option(
        "--fail-on", "Which divergences make the exit status 1.",
        str, "stopping", choices=("own", "any", "never"), record="fail_on", in_pytest=True, in_unit=True, in_project=("run", "matrix", "diff"),
    ))  # fmt: skip
    maxfail: int | None = field(default=None, metadata=_option(
        "--maxfail", "Stop after N failures.", int, "stopping", metavar="N", least=1, in_unit=True,
    ))  # fmt: skip
    at_least: int = field(default=0, metadata=_option(
        "--at-least", "Exit with 5 unless at least N results were judged.",
        int, "stopping", metavar="N", least=0, record="at_least", in_project=("run",),
    ))  # fmt: skip
    gzip: bool = field(default=False, metadata=_option(
        "--gzip", "Write results.jsonl.gz instead of results.jsonl.", bool, "output",
    ))  # fmt: skip
    quiet: bool = field(default=False, metadata=_option(
        "--quiet", "Do not show progress.", bool, "output", short="-q",
    ))  # fmt: skip
    verbose: bool = field(default=False, metadata=_option(
        "--verbose", "List every divergence, and how many processes imported each framework.",
        bool, "output", short="-v",
    ))  # fmt: skip


OPTIONS: dict[str, Option] = {
    item.name: item.metadata["option"] for item in fields(RunOptions) if "option" in item.metadata
}
"""By the name of the field."""
DEFAULTS: dict[str, Any] = {
    item.name: item.default for item in fields(RunOptions) if item.default is not MISSING and item.name in OPTIONS
}
IN_PYTEST = {name: option for name, option in OPTIONS.items() if option.in_pytest}
IN_UNIT = tuple(name for name, option in OPTIONS.items() if option.in_unit)
SELECTION = tuple(name for name, option in OPTIONS.items() if option.shapes == "cases" and option.record is None)
"""The options that select among the cases of the specs and their draws."""


def words(options: RunOptions, names: Iterable[str], *, explicit: bool = False) -> tuple[str, ...]:
    """These options as words of a command line, in the order of the list.

    explicit: numbers and texts too that have their defaults, which a project's settings could replace elsewhere.
    """
    wanted = frozenset(names)
    return tuple(
        word
        for name, option in OPTIONS.items()
        if name in wanted
        for word in _words(option, getattr(options, name), DEFAULTS[name], explicit=explicit)
    )


def _words(option: Option, value: Any, default: Any, *, explicit: bool) -> Iterable[str]:
    if option.kind is bool:
        return [option.flag] if value else []
    if option.several:
        return [word for item in value for word in (option.flag, str(item))]
    if value is None or (value == default and not explicit):
        return []
    return [option.flag, str(value)]


def check(name: str, value: object, written: str | None = None) -> None:
    """ConformanceError for a value that an option may not have; ``written`` is where and how it is, by default as an argument."""
    from conformance.app.errors import ConformanceError

    mistake = None if value is None and DEFAULTS[name] is None else OPTIONS[name].mistake(value)
    if mistake is not None:
        raise ConformanceError(f"{written or f'{name}={value!r}'} is {mistake[0]}; {mistake[1]}")


def check_all(options: RunOptions, written: Callable[[str, Any], str | None] = lambda _name, _value: None) -> None:
    """The same for all options."""
    for name, option in OPTIONS.items():
        value = getattr(options, name)
        for item in value if option.several else [value]:
            check(name, item, written(name, item))
