"""``conformance repro``: its calls are made in the process of the tests, and its scripts run in processes of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from conformance.execution import replay
from conformance.execution.session import Session
from conformance.results.file import read_results
from tests.cli.command import Done, conformance
from tests.execution.harness import FAKES, WRONG_ADAPTERS
from tests.execution.in_process import in_process

UNLUCKY = "gather_elements.example.unlucky/as-printed"
OUTSIDE = "gather_elements.example.outside/as-printed"
INSERT = "scatter_nd.example.insert-four-scalars/as-printed"


def repro(cwd: Path, case: str, *words: str, target: str | Path) -> Done:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "Client", in_process)
        patch.setattr(replay, "Session", partial(Session, client=in_process))
        return conformance("repro", case, "--target", target, "--here", "--specs", FAKES / "specs", *words, cwd=cwd)


def misbehaving(cwd: Path, case: str, api: str, *words: str) -> Done:
    """With one API of this adapter: others close or fill descriptors, which in the process of the tests are those of pytest."""
    source = (WRONG_ADAPTERS / "misbehaving.py").read_text()
    (cwd / "misbehaving.py").write_text(re.sub(rf'^@api\("(?!{api}").*\n', "", source, flags=re.MULTILINE))
    return repro(cwd, case, "--api", api, *words, target="./misbehaving.py")


def run_alone(script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """As a maintainer would: with nothing but the interpreter."""
    path = cwd / "alone.py"
    path.write_text(script)
    return subprocess.run([sys.executable, "-I", path], capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The script of a result that differs from the document of another API."""
    folder = tmp_path_factory.mktemp("steady")
    done = repro(folder, UNLUCKY, "--api", "fake.steady", target=WRONG_ADAPTERS / "order_dependent.py")
    assert done.status == 0, done.err
    return done


@pytest.fixture(scope="module")
def mutate(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The script of a result that differs from the API's own document."""
    done = misbehaving(tmp_path_factory.mktemp("mutate"), UNLUCKY, "fake.mutate")
    assert done.status == 0, done.err
    return done


def test_a_script_shows_what_was_documented_and_got_with_nothing_of_the_suite(steady: Done, tmp_path: Path) -> None:
    assert "conformance" not in steady.out
    alone = run_alone(steady.out, tmp_path)
    assert alone.returncode == 0, alone.stderr
    assert "documented for fake.right: int32 of shape (3,): [3, 2, 13]" in alone.stdout
    assert "got: array([ 4,  3, 14], dtype=int32)" in alone.stdout
    assert "on Python 3." in alone.stdout


def test_the_head_names_the_document_and_the_versions(steady: Done) -> None:
    assert steady.out.startswith("# fake.steady: 3 of 3 elements differ")
    assert "Documented" in steady.out
    assert "# Observed with order_dependent" in steady.out


def test_a_call_that_should_raise_says_what_was_raised(tmp_path: Path) -> None:
    done = misbehaving(tmp_path, OUTSIDE, "fake.right")
    assert done.status == 0, done.err
    assert "got: raised IndexError: index out of range" in run_alone(done.out, tmp_path).stdout


def test_a_death_is_shown_by_a_script_that_dies_of_it(tmp_path: Path) -> None:
    done = misbehaving(tmp_path, UNLUCKY, "fake.segfault")
    assert done.status == 0, done.err
    alone = run_alone(done.out, tmp_path)
    assert alone.returncode == -11
    assert "documented" in alone.stdout


def test_a_hang_is_shown_by_a_script_that_hangs(tmp_path: Path) -> None:
    done = misbehaving(tmp_path, UNLUCKY, "fake.hang", "--timeout", "0.3")
    assert done.status == 0, done.err
    assert "time.sleep(3600)" in done.out


def test_a_changed_argument_is_printed(mutate: Done, tmp_path: Path) -> None:
    assert "input is now: array([14" in run_alone(mutate.out, tmp_path).stdout


def test_an_argument_that_changes_with_the_result_is_printed(tmp_path: Path) -> None:
    done = misbehaving(tmp_path, UNLUCKY, "fake.alias")
    assert done.status == 0, done.err
    assert "input is now: array([ 3,  2, 13]" in run_alone(done.out, tmp_path).stdout


def test_a_valid_call_that_fails_after_an_error_is_shown_before_and_after_it(tmp_path: Path) -> None:
    done = misbehaving(tmp_path, OUTSIDE, "fake.poisoned")
    assert done.status == 0, done.err
    printed = run_alone(done.out, tmp_path).stdout
    assert "before: array([3, 2, 1]" in printed
    assert "got: raised IndexError" in printed
    assert "after: raised RuntimeError: still broken" in printed


def test_a_form_that_an_api_lacks_stays_a_refusal_of_the_script_itself(tmp_path: Path) -> None:
    done = misbehaving(tmp_path, LUCKY, "fake.unsupported")
    assert done.status == 0, done.err
    assert "class Unsupported(Exception):" in done.out
    assert "got: array([3, 2, 1]" in run_alone(done.out, tmp_path).stdout


def test_an_order_dependent_result_is_shown_with_the_call_that_the_results_name(tmp_path: Path) -> None:
    adapter = WRONG_ADAPTERS / "order_dependent.py"
    words = ("--here", "--specs", FAKES / "specs", "-q", "-k", "not as-printed.", "--output", "out")
    conformance("run", adapter, *words, cwd=tmp_path)
    case = next(result.case for result in read_results(tmp_path / "out").results if result.polluter is not None)
    without = repro(tmp_path, case, "--api", "fake.stained", target=adapter)
    assert "--results" in without.err
    done = repro(tmp_path, case, "--api", "fake.stained", "--results", "out", target=adapter)
    assert done.status == 0, done.err
    right, wrong = (run_alone(run.out, tmp_path).stdout.splitlines() for run in (without, done))
    assert [line for line in wrong if line.startswith("earlier: array([")]
    assert [line for line in wrong if line.startswith("got: ")] != [line for line in right if line.startswith("got: ")]


COMPILED = """
import numpy as np

from conformance.adapter import api


def prepare(function, mode):
    return Compiled(function) if mode == "compile" else function


class Compiled:
    def __init__(self, function):
        self.function, self.spoilt = function, False

    def __call__(self, **tensors):
        if self.spoilt:
            raise RuntimeError("spoilt")
        self.spoilt = max(tensors["index"]) > 2
        return self.function(**tensors)


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    return np.take_along_axis(input, index, dim)
"""


def test_a_script_compiles_a_function_once(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(COMPILED)
    (tmp_path / "target.toml").write_text((FAKES / "modes" / "target.toml").read_text())
    done = repro(tmp_path, OUTSIDE, target="./mine.py[compile]")
    assert done.status == 0, done.err
    assert done.out.count("compiled = prepare(partial(gather, dim=0), 'compile')") == 1
    assert "after: raised RuntimeError: spoilt" in run_alone(done.out, tmp_path).stdout


LUCKY = "gather_elements.example.lucky/as-printed"


@pytest.mark.parametrize(
    ("case", "api", "lines"),
    [
        (f"{LUCKY}.strided", "fake.no_strides", ["got: array([ 2, 85,  1]"]),
        (f"{LUCKY}.offset", "fake.spills", ["got: array([3, 2, 1]", "input_buffer is now: array([85,  1,  2,  3,  0]"]),
    ],
)
def test_a_result_that_depends_on_a_view_is_shown_with_the_view(
    tmp_path: Path, case: str, api: str, lines: list[str]
) -> None:
    done = repro(tmp_path, case, "--api", api, target=FAKES / "strides.py")
    assert done.status == 0, done.err
    assert "import conformance" not in done.out
    printed = run_alone(done.out, tmp_path).stdout
    for line in lines:
        assert line in printed


def test_the_head_says_whose_documentation_is_broken(steady: Done, mutate: Done) -> None:
    other = "# This differs from the documentation of fake.right; its own documentation does not specify it."
    assert other in steady.out
    assert "# This contradicts its own documentation: a bug in the code or in the text." in mutate.out


SEEN = '("conformance" in sys.modules)'


@pytest.mark.parametrize(
    ("body", "message", "printed"),
    [
        (f"return np.take_along_axis(input, index, dim) + {SEEN}",
         "got differs from the value in the suite", "got: array([ 3,  2, 13]"),
        (f'raise (IndexError if {SEEN} else KeyError)("no")',
         "expected got to raise IndexError, but it raised KeyError", "got: raised KeyError"),
        (f"result = np.take_along_axis(input, index, dim)\n    input += {SEEN} and 13 in input\n    return result",
         "input was not changed", "input is now: array([13,  2,  3]"),
        ("from conformance.adapter import Unsupported\n    return np.take_along_axis(input, index, dim) + 1",
         "code imports conformance", ""),
    ],
    ids=["value", "error", "argument", "suite"],
)  # fmt: skip
def test_a_script_that_does_not_reproduce_the_result_is_not_printed(
    tmp_path: Path, body: str, message: str, printed: str
) -> None:
    """The adapter goes wrong only where the suite is there to see it, and a script of its own does not."""
    (tmp_path / "leans.py").write_text(
        "import sys\n\nimport numpy as np\n\nfrom conformance.adapter import api\n\n\n"
        '@api("leans.gather", operation="gather_elements")\n'
        f"def gather(input, dim, index):\n    {body}\n"
    )
    done = repro(tmp_path, UNLUCKY, target="./leans.py")
    assert (done.status, done.out) == (1, "")
    assert message in done.err
    assert printed in done.err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("gather_elements.example.unluky/as-printed", "fake.right"), 4, "unlucky"),
        (("gather_elements.example", "fake.right"), 4, "choose one"),
        ((UNLUCKY, "fake.right", "--api", "fake.rihgt"), 4, "did you mean 'fake.right'?"),
        ((UNLUCKY, "fake.unsupported"), 1, "it has no unlucky numbers"),
        ((UNLUCKY, "fake.right", "--results", "nowhere"), 4, "file not found"),
    ],
)
def test_a_script_that_cannot_be_written_is_an_error(
    tmp_path: Path, words: tuple[str, ...], status: int, message: str
) -> None:
    done = misbehaving(tmp_path, *words)
    assert (done.status, done.out) == (status, "")
    assert message in done.err


def test_the_reference_is_quoted_with_its_helpers(tmp_path: Path) -> None:
    done = conformance("repro", INSERT, "--target", "reference", "--here", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "def _index_vectors(" in done.out
    assert "got: array([ 0, 11,  0, 10,  9,  0,  0, 12], dtype=int32)" in run_alone(done.out, tmp_path).stdout


ALIASES = """\
import numpy as np

from conformance.adapter import api


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    return input if (input[index] == input).all() else np.take_along_axis(input, index, dim)
"""
UNREADABLE = """\
import numpy as np

from conformance.adapter import api


class Tensor:
    def __init__(self, array):
        self.array = array


def to_native(array, dtype):
    return Tensor(array)


def to_numpy(value):
    return value.array


@api("mine.gather", operation="gather_elements")
def gather(input, dim, index):
    return Tensor(np.take_along_axis(input.array, index.array, dim) + 1)
"""


def test_a_result_that_shares_memory_with_an_argument_is_shown_to_do_so(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ALIASES)
    done = repro(tmp_path, "gather_elements.example.lucky-again/as-printed", target="./mine.py")
    assert done.status == 0, done.err
    assert "got shares memory with input: True" in run_alone(done.out, tmp_path).stdout


def test_a_tensor_without_a_readable_representation_is_printed_as_an_array(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(UNREADABLE)
    done = repro(tmp_path, "gather_elements.example.lucky/as-printed", target="./mine.py")
    assert done.status == 0, done.err
    assert "got: array([4, 3, 2], dtype=int32)" in run_alone(done.out, tmp_path).stdout


def test_a_clause_stands_for_its_first_case_that_diverges(tmp_path: Path) -> None:
    source = ALIASES.replace("return input if", "return index if").replace(
        "(input[index] == input).all()", "13 in input"
    )
    (tmp_path / "mine.py").write_text(source)
    done = repro(tmp_path, "gather_elements.example.unlucky", target="./mine.py")
    assert done.status == 0, done.err
    assert "the first diverging case of gather_elements.example.unlucky is gather_elements.example.unlucky/" in done.err
    right = repro(tmp_path, "gather_elements.example.lucky", target="./mine.py")
    assert right.status == 1
    assert "cases of gather_elements.example.lucky diverges on ./mine.py@cpu" in right.err


def test_the_id_of_several_clauses_is_not_enough(tmp_path: Path) -> None:
    done = repro(tmp_path, "gather_elements.example", target=WRONG_ADAPTERS / "order_dependent.py")
    assert done.status == 4
    assert "choose one, or a clause: gather_elements.example.lucky/as-printed" in done.err


def test_a_known_divergence_is_named_with_where_it_is_reported(tmp_path: Path) -> None:
    (tmp_path / "divergences.yaml").write_text(
        "divergences:\n  overwrites:\n    cases: gather_elements.example.unlucky/*\n    api: fake.mutate\n"
        "    kind: input-changed\n    reason: It overwrites input.\n    link: https://example.org/issues/1\n"
    )
    done = misbehaving(tmp_path, UNLUCKY, "fake.mutate")
    assert done.status == 0, done.err
    assert "known divergence overwrites (" in done.err
    assert "reported at https://example.org/issues/1" in done.err
    assert "# Known, reported at https://example.org/issues/1: It overwrites input." in done.out
