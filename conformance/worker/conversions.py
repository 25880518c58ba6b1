"""Try an adapter's conversions: what ``to_native`` makes of an array, ``to_numpy`` must give back bit by bit.

An array that does not come back would be reported as the framework's divergence, although the adapter changed it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Optional

import numpy as np

from conformance.adapter import Abstract
from conformance.worker import views
from conformance.worker.arrays import BITS_OF, FLOAT8, Tensor, carrier

DTYPES = (
    *("float32", "int64", "int32", "float64", "bool", "int8", "int16", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "complex64", "complex128", *FLOAT8),
)
"""The dtypes of the suite, the usual ones first."""

ToNative = Callable[[Any, str], Any]
ToHost = Callable[[Any], Any]
Address = Callable[[Any], int]


class Form(NamedTuple):
    """What an adapter may convert differently from other tensors."""

    dtype: str
    rank: int = 2
    elements: str = "several"
    """``several``, ``one`` or ``none``."""
    view: Optional[str] = None
    """A kind of view; None for an ordinary array."""

    @property
    def shape(self) -> tuple[int, ...]:
        first = {"several": 2, "one": 1, "none": 0}[self.elements]
        others = (1,) * self.rank if self.elements == "one" else (3, *[2] * self.rank)
        return (first, *others)[: self.rank]

    @property
    def is_usual(self) -> bool:
        """Whether a tensor of this form has nothing unusual but its dtype."""
        return self == Form(self.dtype)

    @property
    def words(self) -> str:
        """The form without its dtype."""
        if self.view is not None:
            return f"{self.view} views"
        if self.elements != "several" and self.rank:
            return "empty tensors" if self.elements == "none" else "tensors of one element"
        return f"rank {self.rank}"


def form_of(tensor: Tensor, view: Optional[str]) -> Form:
    """The form of an argument."""
    array, dtype = tensor
    return Form(dtype, array.ndim, "several" if array.size > 1 else "one" if array.size else "none", view)


_FORMS = (
    Form("float32"),
    *(Form("float32", rank, "several" if rank else "one") for rank in (0, 1, 3, 4)),
    *(Form("float32", elements="one"), Form("float32", elements="none")),
    *(Form("float32", elements="none" if view == "empty" else "several", view=view) for view in views.VIEWS),
)
TRIED = tuple(form._replace(dtype=dtype) for form in _FORMS for dtype in DTYPES)
"""The forms that are tried before the first case; others are tried when a call has them."""

Problems = Mapping[Form, str]
_SEVERAL = 4
"""Number of dtypes from which on they are not named."""


class Conversions:
    """The conversions of an adapter, each tried once for each form of tensors."""

    def __init__(self, to_native: ToNative, to_host: ToHost, address: Optional[Address] = None) -> None:
        """to_host: ``to_numpy``, whose result is an ``arrays.Tensor`` or an Abstract.

        address: where the memory of a native tensor begins, if ``to_host`` copies it.
        """
        self._to_native = to_native
        self._to_host = to_host
        self._problems: dict[Form, Optional[str]] = {}
        self._address = address

    def problem(self, tensor: Tensor, view: Optional[str]) -> Optional[str]:
        """Why tensors of this form cannot be tested; None if they can, or if the framework has none."""
        return self._problem(form_of(tensor, view))

    def doubt(self, result: Tensor) -> Optional[str]:
        """Why a result of one element cannot be judged: it may have been a scalar, which the adapter does not give back."""
        array, dtype = result
        return self._problem(Form(dtype, 0, "one")) if array.size == 1 and array.ndim else None

    def first_problem(self, tensors: Mapping[str, Tensor], kinds: Mapping[str, str]) -> Optional[str]:
        """Why one of these tensors cannot be tested, each by name with the kind of view that it is; None if all can."""
        return next(filter(None, (self.problem(tensor, kinds.get(name)) for name, tensor in tensors.items())), None)

    def problems(self) -> dict[Form, str]:
        """Why tensors of the forms of ``TRIED`` cannot be tested."""
        tried = {form: self._problem(form) for form in TRIED}
        return {form: problem for form, problem in tried.items() if problem is not None}

    def adopt(self, problems: Problems) -> None:
        """Take over what ``problems`` returned in another process, instead of trying this again."""
        self._problems.update({form: problems.get(form) for form in TRIED})

    def guarded(self, dtypes: Iterable[str] = DTYPES) -> list[str]:
        """Those of these dtypes whose tensors have the memory of the array that they are made of, and so its guard zones."""
        return [dtype for dtype in dtypes if self._shares_memory(Form(dtype))]

    def _shares_memory(self, form: Form) -> bool:
        array = views.build(_probe(form), None).array
        try:
            native = self._to_native(array, form.dtype)
            if self._address is not None:
                return bool(self._address(native) == array.__array_interface__["data"][0])
            host = self._to_host(native)
        except Exception:
            return False
        return not isinstance(host, Abstract) and np.shares_memory(array, host[0])

    def common_failure(self) -> Optional[str]:
        """The traceback of the adapter if no dtype can be converted, all for the same reason; otherwise None."""
        failures: dict[str, str] = {}
        for dtype in (dtype for dtype in DTYPES if dtype not in FLOAT8):
            try:
                self._to_host(self._to_native(_probe(Form(dtype)), dtype))
            except Exception as error:
                failures.setdefault(type(error).__name__, _trace(error))
            else:
                return None
        return next(iter(failures.values())) if len(failures) == 1 else None

    def _problem(self, form: Form) -> Optional[str]:
        if form not in self._problems:
            self._problems[form] = self._tried(form)
        return self._problems[form]

    def _tried(self, form: Form) -> Optional[str]:
        array = views.build(_probe(form), form.view).array
        before = array.copy()
        try:
            native = self._to_native(array, form.dtype)
        except Exception:
            return None  # the call says that the framework has no such tensor
        what = f"the adapter's to_numpy(to_native(x)) of {_described(form)}"
        try:
            host = self._to_host(native)
        except Exception as error:
            return f"{what} raises {type(error).__name__}: {str(error)[:500]}"
        if isinstance(host, Abstract):
            return None
        difference = _difference((before, form.dtype), host)
        return difference and f"{what} {difference}"


def untested(problems: Problems) -> dict[str, str]:
    """What is not tested, by dtype, and by what is unusual about the forms of the other dtypes, with the first reason."""
    dtypes = {form.dtype: problem for form, problem in problems.items() if form.is_usual}
    unusual: dict[str, list[Form]] = {}
    for form in problems:
        if form.dtype not in dtypes:
            unusual.setdefault(form.words, []).append(form)
    forms = {
        f"{words} of {' and '.join(form.dtype for form in of_words)}" if len(of_words) < _SEVERAL else words: (
            problems[of_words[0]]
        )
        for words, of_words in unusual.items()
    }
    return {**dtypes, **forms}


def _described(form: Form) -> str:
    article = "an" if form.dtype[0] in "iu" else "a"
    if form.is_usual:
        return f"{article} {form.dtype} tensor"
    if form.view is not None:
        return f"{'an' if form.view[0] in 'eo' else 'a'} {form.view} view of {form.dtype}"
    if form.elements == "none":
        return f"an empty {form.dtype} tensor"
    return f"{article} {form.dtype} tensor of shape {list(form.shape)}"


def _difference(before: Tensor, after: Tensor) -> Optional[str]:
    if after[1] != before[1]:
        return f"has dtype {after[1]}"
    if after[0].shape != before[0].shape:
        return f"has shape {list(after[0].shape)} instead of {list(before[0].shape)}"
    if after[0].tobytes() != before[0].tobytes():
        return "has other elements"
    return None


def _probe(form: Form) -> np.ndarray:
    """Different elements that need all bits of the dtype; for a dtype that NumPy lacks, bits of such elements.

    If the form is an expanded view, the elements along the first axis are equal.
    """
    dtype, shape = form.dtype, form.shape
    if form.view == "expanded":
        return np.array(np.broadcast_to(_probe(Form(dtype, form.rank))[:1], shape))
    count = int(np.prod(shape))
    if dtype in BITS_OF:
        first = 0x21 if dtype in FLOAT8 else 0x3F81
        return np.arange(first, first + count, dtype=carrier(dtype)).reshape(shape)
    kinds = np.dtype(dtype).kind
    if kinds in "iu":
        values: Any = np.iinfo(dtype).max - np.arange(count, dtype=np.uint64)
    elif kinds == "b":
        values = np.arange(count) % 3 != 1
    else:
        values = 1 / np.arange(3, 3 + count, dtype=np.float64) + (1j if kinds == "c" else 0)
    array: np.ndarray = values.astype(dtype).reshape(shape)
    return array


def _trace(error: Exception) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__)[-6:])
