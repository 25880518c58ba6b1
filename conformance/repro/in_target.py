"""What of making a script happens in the target's interpreter; the standard library and NumPy only, Python 3.9 syntax.

``choose`` finds the first of several expressions that gives a tensor; ``run`` runs a script as it stands, and only then
looks at its variables. The request is a JSON file, and so is the answer.
"""

from __future__ import annotations

import hashlib
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np


def main(request_file: str) -> None:
    request = json.loads(Path(request_file).read_text(encoding="utf-8"))
    answer = _choose(request) if request["do"] == "choose" else _run(request)
    Path(request["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def _choose(request: dict[str, Any]) -> dict[str, Any]:
    adapter = _adapter(request)
    adapter.setup(request["device"], request["mode"])
    namespace: dict[str, Any] = {}
    exec(request["imports"], namespace)  # noqa: S102 # the adapter's own imports
    return {"chosen": [_first(adapter, namespace, wanted) for wanted in request["wanted"]]}


def _first(adapter: Any, namespace: dict[str, Any], wanted: dict[str, Any]) -> Any:
    for form in wanted["forms"]:
        try:
            value = eval(form, namespace)  # noqa: S307 # code that the suite has written
            if _digest(*adapter.host_value(value)) == wanted["digest"]:
                return form
        except Exception:  # noqa: S112 # one form of several that does not fit
            continue
    return None


def _run(request: dict[str, Any]) -> dict[str, Any]:
    here = sys.path.pop(0)  # the script shall see nothing of the suite
    sys.argv = [request["script"]]
    namespace = runpy.run_path(request["script"], run_name="__main__")
    sys.stdout.flush()
    sys.path.insert(0, here)
    adapter = _adapter(request)
    return {name: _described(adapter, namespace, name, request["result"]) for name in request["names"]}


def _described(adapter: Any, namespace: dict[str, Any], name: str, result: str) -> Any:
    if name not in namespace:
        return None
    try:
        array, dtype = adapter.host_value(namespace[name])
        other = adapter.host_value(namespace[result])[0] if result in namespace else None
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    aliased = name != result and other is not None and bool(np.shares_memory(array, other))
    return {"digest": _digest(array, dtype), "aliased": aliased}


def _digest(array: Any, dtype: str) -> str:
    text = f"{dtype} {list(array.shape)}\0".encode()
    return hashlib.sha256(text + np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def _adapter(request: dict[str, Any]) -> Any:
    from conformance.worker import adapters  # staged beside this file

    return adapters.load(request["adapter"])


if __name__ == "__main__":
    main(sys.argv[1])
