"""The part of writing a script that runs in the target's interpreter, with the standard library, NumPy and Python 3.9 syntax.

``choose`` finds the first of several expressions that evaluates to a tensor. ``run`` runs a script unchanged and then
examines its variables. The request and the reply are JSON files.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_FIRST = 3
"""The number of elements that a representation must have: a long one is abbreviated."""
_ROUNDED = 1e-3
"""How much of an element a representation may leave out."""


def main(request_file: str) -> None:
    request = json.loads(Path(request_file).read_text(encoding="utf-8"))
    reply = _choose(request) if request["do"] == "choose" else _run(request)
    Path(request["reply"]).write_text(json.dumps(reply), encoding="utf-8")


def _choose(request: dict[str, Any]) -> dict[str, Any]:
    adapter = _adapter(request)
    adapter.setup(request["device"], request["mode"])
    namespace: dict[str, Any] = {}
    exec(request["imports"], namespace)  # noqa: S102 # the adapter's own imports
    return {"chosen": [_first_form(adapter, namespace, tensor) for tensor in request["tensors"]]}


def _first_form(adapter: Any, namespace: dict[str, Any], tensor: dict[str, Any]) -> Any:
    for form in tensor["forms"]:
        try:
            value = eval(form, namespace)  # noqa: S307 # code that the suite has written
            if _digest(*adapter.host_value(value)) == tensor["digest"]:
                return form
        except Exception:  # noqa: S112 # the next form may work
            continue
    return None


def _run(request: dict[str, Any]) -> dict[str, Any]:
    staged = sys.path.pop(0)  # the script must not import anything of the suite
    sys.argv = [request["script"]]
    try:
        namespace = runpy.run_path(request["script"], run_name="__main__")
    except Exception as error:
        _print_error(error, request["script"])
        sys.exit(1)
    sys.stdout.flush()
    sys.path.insert(0, staged)
    adapter = _adapter(request)
    return {name: _described(adapter, namespace, name, request["result"]) for name in request["names"]}


def _print_error(error: Exception, script: str) -> None:
    """Print an error as Python does where the script is run by itself, from its own line on."""
    sys.stdout.flush()
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != script:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def _described(adapter: Any, namespace: dict[str, Any], name: str, result: str) -> Any:
    if name not in namespace:
        return None
    if isinstance(namespace[name], list):  # the results of all repetitions
        return [_of_result(adapter, value) for value in namespace[name]]
    if name == result:
        return _of_result(adapter, namespace[name])
    try:
        array, dtype = adapter.host_value(namespace[name])
        result_array = _host_value(adapter, namespace[result])[0] if result in namespace else None
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    aliased = result_array is not None and bool(np.shares_memory(array, result_array))
    return {"digest": _digest(array, dtype), "aliased": aliased}


def _of_result(adapter: Any, value: Any) -> dict[str, Any]:
    if isinstance(value, Exception):
        return {"raised": type(value).__name__}
    try:
        array, dtype = _host_value(adapter, value)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    entry = {"dtype": dtype, "shape": list(array.shape)}
    return {"digest": _digest(array, dtype), "entry": entry, "data": data, "unreadable": not shows(repr(value), array)}


def _host_value(adapter: Any, value: Any) -> Any:
    """A result in host memory; several of a program as a worker joins them."""
    if not isinstance(value, (tuple, list)):
        return adapter.host_value(value)
    from conformance.worker.programs import concatenated  # staged beside this file

    return concatenated([adapter.host_value(each) for each in value])


def shows(text: str, array: Any) -> bool:
    """Whether a representation has the first elements of a tensor, and not only its type and shape."""
    numbers = [float(number) for number in re.findall(_NUMBER, text)]
    return all(_occurs(element, text, numbers) for element in array.ravel()[:_FIRST].tolist())


def _occurs(element: Any, text: str, numbers: list[float]) -> bool:
    if isinstance(element, (bool, complex)) or not math.isfinite(element):
        return isinstance(element, complex) or str(element).lower() in text.lower()
    return any(abs(number - element) <= _ROUNDED * max(1.0, abs(element)) for number in numbers)


def _digest(array: Any, dtype: str) -> str:
    text = f"{dtype} {list(array.shape)}\0".encode()
    return hashlib.sha256(text + np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def _adapter(request: dict[str, Any]) -> Any:
    from conformance.worker import adapters  # staged beside this file

    return adapters.load(request["adapter"])


if __name__ == "__main__":
    main(sys.argv[1])
