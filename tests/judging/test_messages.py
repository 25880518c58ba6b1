from __future__ import annotations

import pytest

from conformance.judging.messages import LONGEST, summary
from conformance.outcomes.model import Error

MINDSPORE = "\n----\n- Kernel build failed:\n----\nCPU kernel op resize failed.\n\n----\n- Call stack:\n----\nfile.cc:1 Launch\n"
TRACED = """Graph execution error:

Detected at node Gather defined at (most recent call last):
  File "<worker>/start_worker.py", line 3, in <module>

  File "<adapter>/adapter.py", line 9, in gather

indices[1] = 7 is outside
\t [[{{node Gather}}]] [Op:__inference_function_1]
"""


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("index 3 is out of bounds", "E: index 3 is out of bounds"),
        (MINDSPORE, "E: CPU kernel op resize failed. / file.cc:1 Launch"),
        ("{{function_node __wrapped__X_device_/job:y}} must be 1-D", "E: must be 1-D"),
        (TRACED, "E: indices[1] = 7 is outside"),
        ("compile __inference_f_69[must=true,type=134] on XLA: Add", "E: compile  on XLA: Add"),
        ("", "E"),
        ("heading:", "E: heading:"),
    ],
)
def test_the_telling_part_of_a_message_is_one_line(message: str, text: str) -> None:
    assert summary(Error("E", message)) == text


def test_a_long_message_is_cut() -> None:
    assert len(summary(Error("E", "x" * 1000))) == len("E: ") + LONGEST


def test_a_frame_takes_its_line_of_source_code_with_it() -> None:
    message = 'in user code:\n\n    File "/x/adapter.py", line 9, in vmap  *\n        return f(**tensors)\n\n    TypeError: no uint8 here\n'
    assert summary(Error("TypeError", message)) == "TypeError: TypeError: no uint8 here"
