"""An adapter is tried before its results are believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.adapter import Unsupported, carrying
from conformance.cases.model import ApiCall, Case
from conformance.cases.reference import load_reference
from conformance.cases.written import written_cases
from conformance.data_folders import adapters_folder
from conformance.environments.errors import TargetBlocked
from conformance.execution.calls import check_calls
from conformance.results.exit_status import BLOCKED, DIVERGES, NOTHING_SELECTED, OK
from conformance.results.file import read_results
from conformance.specification.literals import Tensor
from conformance.specification.loader import load_specs
from conformance.worker.arrays import BITS_OF
from conformance.worker.conversions import DTYPES, Conversions, untested
from tests.cli.command import conformance
from tests.execution.harness import FAKES

HEAD = """
import numpy as np

from conformance.adapter import api


class Tensor:
    def __init__(self, array):
        self.array = array


def describe():
    return {"framework": "Toy Frame", "version": "0.3"}
"""
CALL = """
@api("toy.gather", operation="gather_elements")
def gather(input, dim, index):
    return Tensor(np.take_along_axis(input.array, index.array, dim))
"""
NARROWS = """
def to_native(array, dtype):
    return Tensor(array.astype(np.int32) if dtype == "int64" else array)


def to_numpy(value):
    return value.array
"""
RANK_ONE = """
def to_native(array, dtype):
    return Tensor(np.ascontiguousarray(array))


def to_numpy(value):
    return value.array
"""
CANNOT_READ = """
def to_native(array, dtype):
    return Tensor(array)


def to_numpy(value):
    return value.numpy()
"""
RUN = ("run", "./mine.py", "--here", "--specs", FAKES / "specs", "-q")


def _tried(to_native: object = lambda array, _: array, to_numpy: object = lambda value: value) -> Conversions:
    def host(value: object) -> tuple[np.ndarray, str]:
        array = to_numpy(value)  # type: ignore[operator]
        return array, array.dtype.name

    return Conversions(to_native, host)  # type: ignore[arg-type]


def test_an_adapter_that_makes_int32_of_int64_is_told_so_once_and_not_the_framework(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD + NARROWS + CALL)
    done = conformance(*RUN, cwd=tmp_path)
    assert " ".join(done.out.split()).count("of an int64 tensor has dtype int32") == 1
    results = read_results(tmp_path / "conformance-report")
    assert {result.verdict for result in results.results} <= {"unsupported", "conforms", "observed"}
    int64 = [result for result in results.results if "int64" in results.cases[result.case].dtypes.values()]
    assert {result.verdict for result in int64} == {"unsupported"}
    assert results.targets[0].title == "Toy Frame"
    assert done.status == OK


def test_adapter_check_names_the_forms_that_do_not_come_back(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD + RANK_ONE + CALL)
    done = conformance("adapter", "check", "./mine.py", "--here", cwd=tmp_path)
    words = " ".join(done.out.split())
    assert "suspicious: not tested: rank 0:" in words
    assert words.count("of a float32 tensor of shape [] has shape [1] instead of []") == 1
    assert done.status == DIVERGES


def test_an_adapter_that_cannot_read_its_own_tensors_stops_the_run_with_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD + CANNOT_READ + CALL)
    done = conformance(*RUN, "--output", "out", cwd=tmp_path)
    assert done.status == BLOCKED
    assert "no array can be converted" in " ".join(done.out.split())
    assert "'Tensor' object has no" in " ".join(done.out.split())
    assert not read_results(tmp_path / "out").results


def test_an_adapter_whose_calls_all_fail_alike_stops_the_run(tmp_path: Path) -> None:
    text = (
        '@api("toy.gather", operation="gather_elements")\ndef gather(input, dim, index):\n    return frame.gather()\n'
    )
    (tmp_path / "mine.py").write_text(HEAD + text)
    done = conformance(*RUN, cwd=tmp_path)
    assert done.status == BLOCKED
    assert "NameError: name 'frame' is not defined; is it the adapter?" in " ".join(done.out.split())


def test_a_run_that_judged_less_than_its_floor_is_not_green(tmp_path: Path) -> None:
    text = HEAD + CALL.replace("Tensor(", "(").replace(".array", "")
    (tmp_path / "mine.py").write_text(text)
    assert conformance(*RUN, "-k", "example and lucky", "--at-least", "2", cwd=tmp_path).status == OK
    done = conformance(*RUN, "-k", "example and lucky", "--at-least", "300", cwd=tmp_path)
    assert done.status == NOTHING_SELECTED
    assert "300 expected (--at-least)" in done.out


@pytest.mark.parametrize("dtype", sorted({*DTYPES} - {*BITS_OF}))
def test_arrays_that_come_back_as_they_were_are_no_problem(dtype: str) -> None:
    conversions = _tried()
    for view in (None, "transposed", "strided", "offset", "expanded"):
        assert conversions.problem((np.ones((2, 3), dtype), dtype), view) is None
    assert conversions.problem((np.ones((0, 3), dtype), dtype), None) is None


def test_lost_bits_shapes_and_empty_tensors_are_problems() -> None:
    array = np.ones((2, 3))
    rounded = _tried(lambda array, _: array.astype(np.float32).astype(array.dtype))
    assert "has other elements" in str(rounded.problem((array, "float64"), None))
    assert rounded.problem((array.astype(np.float32), "float32"), None) is None
    flat = _tried(lambda array, _: array.reshape(-1))
    assert "has shape [6] instead of [2, 3]" in str(flat.problem((array, "float64"), None))
    ones = _tried(lambda array, _: array if array.size else np.ones((1, 3), array.dtype))
    assert "an empty float64 tensor" in str(ones.problem((array[:0], "float64"), None))
    assert ones.problem((array, "float64"), None) is None


@pytest.mark.parametrize(
    ("to_native", "words"),
    [
        (lambda array, _: np.ascontiguousarray(array), ["rank 0"]),
        (lambda array, _: np.squeeze(array), ["tensors of one element"]),
        (lambda array, _: array.reshape(-1, *array.shape[2:]) if array.ndim > 3 else array, ["rank 4"]),
        (lambda array, _: array if array.flags.c_contiguous or not array.size else array.T, ["transposed views"]),
        (lambda array, _: array if array.size else array.ravel(), ["empty tensors", "empty views"]),
    ],
)
def test_each_unusual_form_is_tried_and_named_once_for_all_dtypes(to_native: object, words: list[str]) -> None:
    found = untested({
        form: problem for form, problem in _tried(to_native).problems().items() if form.dtype not in BITS_OF
    })  # fmt: skip
    assert set(words) <= set(found)
    assert not set(DTYPES) & set(found)


def test_a_form_of_a_few_dtypes_is_named_with_them() -> None:
    found = untested(_tried(lambda array, dtype: np.ascontiguousarray(array) if dtype == "int8" else array).problems())
    assert [words for words in found if words not in BITS_OF] == ["rank 0 of int8"]


def test_what_one_process_has_tried_another_takes_over() -> None:
    problems = _tried(lambda array, _: np.ascontiguousarray(array)).problems()
    other = _tried()
    other.adopt(problems)
    assert "has shape [1] instead of []" in str(other.problem((np.ones((), np.float32), "float32"), None))
    assert other.problem((np.ones((2, 3), np.float32), "float32"), None) is None


def test_a_result_of_one_element_says_nothing_if_the_adapter_does_not_give_back_scalars() -> None:
    wrong, one = _tried(to_numpy=np.ascontiguousarray), np.ones(1)
    assert "has shape [1] instead of []" in str(wrong.doubt((one, "float64")))
    assert wrong.doubt((np.ones(2), "float64")) is None
    assert _tried().doubt((one, "float64")) is None


GATHERS = """
@api("toy.gather_nd", operation="gather_nd")
def gather_nd(params, indices):
    return Tensor(np.array(params.array[tuple(np.moveaxis(indices.array, -1, 0))]))
"""
READS_SCALARS_WRONG = CANNOT_READ.replace("value.numpy()", "np.ascontiguousarray(value.array)")


def test_a_scalar_that_to_numpy_reads_as_a_vector_is_no_divergence(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD + READS_SCALARS_WRONG + GATHERS)
    conformance("run", "./mine.py", "--here", "-q", "-k", "gather_nd and one-index-vector", cwd=tmp_path)
    results = read_results(tmp_path / "conformance-report").results
    assert {result.verdict for result in results} == {"conforms", "unsupported"}


def test_a_dtype_that_the_framework_lacks_is_not_the_adapters_mistake() -> None:
    def refuses(array: np.ndarray, dtype: str) -> np.ndarray:
        raise TypeError(f"no {dtype}")

    conversions = _tried(refuses)
    assert conversions.problem((np.ones(1), "float64"), None) is None
    assert "TypeError: no float32" in str(conversions.common_failure())


def test_unsupported_comes_out_of_a_tracer_that_swallows_it() -> None:
    def tracer(function: object) -> object:
        def compiled(*arguments: object) -> object:
            try:
                return function(*arguments)  # type: ignore[operator]
            except Exception:
                raise RuntimeError("while tracing") from None

        return compiled

    def call(form: str) -> str:
        if form == "none":
            raise Unsupported("no such form")
        return str(1 // len(form))

    carried = carrying(call, tracer)  # type: ignore[arg-type]
    with pytest.raises(Unsupported, match="no such form"):
        carried("none")
    assert carried("a") == "1"
    with pytest.raises(RuntimeError, match="while tracing"):
        carried("")


class _TakesFloat64:
    """A client whose framework takes data of one dtype."""

    restarts_fast = True
    limit = 5.0

    def __init__(self) -> None:
        self.tried: list[str] = []

    def failure(self, call: ApiCall, limit: float) -> dict[str, str] | None:
        data = call.call.arguments["data"]
        assert isinstance(data, Tensor)
        assert limit == self.limit  # that of the run, which is the shorter one
        self.tried.append(call.api)
        return None if data.dtype == "float64" else {"error": "TypeError: takes float64", "traceback": ""}

    def forget(self) -> None:
        pass


def test_a_framework_that_takes_the_dtype_of_none_of_the_first_calls_is_asked_for_others() -> None:
    examples = ["add-two-of-three-rows", "the-largest-of-two-rows", "add-with-an-empty-segment"]
    operation = load_specs().operations["segment_reduce"]
    written = written_cases(operation, load_reference(adapters_folder() / "reference" / "adapter.py"))
    cases = [case for case in written if isinstance(case, Case) and case.clause.name in examples]
    apis: list[Any] = [{"name": name, "operation": operation.name, "index_dtypes": []} for name in ("first", "second")]
    client: Any = _TakesFloat64()
    check_calls(client, [(case, api) for case in cases for api in apis])
    assert sorted(client.tried[:2]) == ["first", "second"]
    assert len(client.tried) > 2
    with pytest.raises(TargetBlocked, match="takes float64"):
        check_calls(client, [(case, api) for case in cases[:2] for api in apis])
