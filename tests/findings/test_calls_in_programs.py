"""What a call in a program receives, and what its result tells of it."""

from __future__ import annotations

from dataclasses import replace

from conformance.findings.recorded_call import Move, recorded_call
from conformance.results.variations import InProgramRecord
from tests.findings.test_recorded_call import record

PROGRAM = "def program(params, indices):\n    {}\n    result = gather_nd(params=params, indices=indices)\n    return result{}\n"


def test_what_a_program_makes_of_its_arguments_is_what_the_call_receives() -> None:
    whole = record("gather_nd", params={"int32": [0, 5, 6, 0]}, indices={"int32": [[1], [0]]})
    call = recorded_call(replace(whole, variation=InProgramRecord(PROGRAM.format("params = params[1:-1]", ""))))
    assert call is not None
    assert call.tensors["params"].array.tolist() == [5, 6]
    assert list(call.moves()) == [Move((0,), (1,), (0,)), Move((1,), (0,), (1,))]
    assert call.reads


def test_what_a_program_computes_of_the_result_is_not_read() -> None:
    whole = record("gather_nd", params={"int32": [5, 6]}, indices={"int32": [[1], [0]]})
    call = recorded_call(replace(whole, variation=InProgramRecord(PROGRAM.format("params = params + params", " - 1"))))
    assert call is not None
    assert not call.reads
