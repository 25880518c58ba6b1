"""The part of writing a script that runs in the target's interpreter, with the standard library, NumPy and Python 3.9 syntax.

``choose`` finds the first of several expressions that evaluates to a tensor. ``run`` runs a script unchanged and then
examines its variables. The request and the reply are JSON files.
"""

from __future__ import annotations

import base64
import hashlib
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np


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
    namespace = runpy.run_path(request["script"], run_name="__main__")
    sys.stdout.flush()
    sys.path.insert(0, staged)
    adapter = _adapter(request)
    return {name: _described(adapter, namespace, name, request["result"]) for name in request["names"]}


def _described(adapter: Any, namespace: dict[str, Any], name: str, result: str) -> Any:
    if name not in namespace:
        return None
    if isinstance(namespace[name], list):  # the results of all repetitions
        return [_of_result(adapter, value) for value in namespace[name]]
    if name == result:
        return _of_result(adapter, namespace[name])
    try:
        array, dtype = adapter.host_value(namespace[name])
        result_array = adapter.host_value(namespace[result])[0] if result in namespace else None
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    aliased = result_array is not None and bool(np.shares_memory(array, result_array))
    return {"digest": _digest(array, dtype), "aliased": aliased}


def _of_result(adapter: Any, value: Any) -> dict[str, Any]:
    if isinstance(value, Exception):
        return {"raised": type(value).__name__}
    try:
        array, dtype = adapter.host_value(value)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    entry = {"dtype": dtype, "shape": list(array.shape)}
    unreadable = type(value).__repr__ is object.__repr__
    return {"digest": _digest(array, dtype), "entry": entry, "data": data, "unreadable": unreadable}


def _digest(array: Any, dtype: str) -> str:
    text = f"{dtype} {list(array.shape)}\0".encode()
    return hashlib.sha256(text + np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def _adapter(request: dict[str, Any]) -> Any:
    from conformance.worker import adapters  # staged beside this file

    return adapters.load(request["adapter"])


if __name__ == "__main__":
    main(sys.argv[1])
