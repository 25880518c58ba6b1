"""Closed lists of words shared by specs, judgements and formats, and the sentences of shipped documentation that claims rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Family = Literal["example", "rule", "behaviour", "relation"]
"""The kinds of clauses."""
UNDOCUMENTED = "undocumented"
"""In place of the dtype of a result: no document says which it is."""
Policy = Literal["ignores", "stops", "clamps", "wraps-negative", "wraps-modulo", "fills"]
"""How an implementation may handle an out-of-bounds index without an error."""
SENTENCE_HASH = r"^[k-z]{8}$"
"""The form of the hash of a sentence; ``conformance.documentation.words`` computes it."""
OBJECT_NAME = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$"
"""The form of the dotted name of an object whose documentation is meant, such as ``torch.Tensor.scatter_``."""
Device = Literal["cpu", "gpu"]
"""The kinds of device that documents distinguish."""
Selects = Literal["elements", "slices", "flat"]
"""What each index selects, as a spec has it."""
Order = Literal["ascending"]
"""The order of the labels of a valid call."""


Passing = Literal["constants", "numbers", "programs", "shared"]
"""What only some modes can do: compile tensors as constants, numbers and shapes as arguments, and programs around a call, and take
tensors that share memory."""
Differentiation = Literal["vjp", "jvp"]
"""The derivative of a call in reverse mode, or in forward mode."""
Hook = Literal[Differentiation, "vmap"]
"""A transform of calls: an adapter has a hook of this name."""
Nesting = Literal["vmap-vjp", "vjp-vmap"]
"""A transform of another one, which is named second: the derivative of each call of a batch, and the derivative of a batch."""
SecondOrder = Literal["vjp-vjp", "jvp-vjp"]
"""The derivative of a derivative in reverse mode, which is named second."""
Transformation = Literal[Hook, Nesting, SecondOrder]
"""What is computed of a call instead of its result: a derivative, the results of a batch of such calls, both, or a derivative of one."""
HOOKS: Mapping[Transformation, tuple[Hook, ...]] = {
    "vjp": ("vjp",),
    "jvp": ("jvp",),
    "vmap": ("vmap",),
    "vmap-vjp": ("vmap", "vjp"),
    "vjp-vmap": ("vjp", "vmap"),
    "vjp-vjp": ("vjp", "vjp"),
    "jvp-vjp": ("jvp", "vjp"),
}
"""The hooks that compute a transform, the outer one first."""
BatchAxis = Literal["first", "last"]
"""The position of the axis along which the calls of a batch are stacked."""
Capability = Passing | Hook
"""What only some targets can do with a call."""
LeftOut = Literal["draws", "forms", "dtypes", "views", "passing", "transforms"]
"""What varies in cases of which a mode may run a part."""
Contradiction = Literal["shorter", "longer", "empty", "negative", "smaller", "beyond", "descending", "float32"]
"""How an argument contradicts another one that says the same."""
ClaimedSituation = Literal["past-the-end", "below-zero", "far-outside", "written-twice"]
"""What a claim may speak of that calls are then not held to: an index out of bounds, or positions that are written twice."""
Sentences = Mapping[str, tuple[str, ...]]
"""By the dotted name of an object, hashes of sentences of its documentation."""
