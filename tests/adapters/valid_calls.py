"""One valid call of each operation with its result, and the reference adapter as a module."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np

PATH = Path(__file__).parents[2] / "adapters" / "reference" / "adapter.py"


def load_adapter(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_adapter", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for annotations
    spec.loader.exec_module(module)
    return module


reference = load_adapter(PATH)


def array(values: Any, dtype: str = "int64") -> Any:
    return np.array(values, dtype)


MATRIX = array([[1, 2], [3, 4], [5, 6]], "float32")
VECTORS = array([[0, 1], [2, 0]])
ALONG = array([[1], [0], [1]])
SLICES = array([2, 0])
MASK = array([[True, False], [False, True], [False, True]], "bool")

CALLS: dict[str, dict[str, Any]] = {
    "tensor_scatter_nd_update": {"tensor": MATRIX, "indices": VECTORS, "updates": array([7, 8], "float32")},
    "tensor_scatter_nd_add": {"tensor": MATRIX, "indices": VECTORS, "updates": array([7, 8], "float32")},
    "tensor_scatter_nd_reduce": {
        "tensor": MATRIX,
        "indices": VECTORS,
        "updates": array([7, 8], "float32"),
        "reduce": "sub",
    },
    "scatter_nd": {"indices": VECTORS, "updates": array([7, 8], "float32"), "shape": (3, 2)},
    "gather_nd": {"params": MATRIX, "indices": VECTORS},
    "gather_elements": {"input": MATRIX, "dim": 1, "index": ALONG},
    "scatter_elements": {"input": MATRIX, "dim": 1, "index": ALONG, "src": array([[7], [8], [9]], "float32")},
    "index_select": {"input": MATRIX, "dim": 0, "index": SLICES},
    "index_copy": {"input": MATRIX, "dim": 0, "index": SLICES, "source": array([[7, 8], [9, 10]], "float32")},
    "index_add": {"input": MATRIX, "dim": 0, "index": SLICES, "source": array([[7, 8], [9, 10]], "float32")},
    "index_fill": {"input": MATRIX, "dim": 0, "index": SLICES, "value": 7},
    "index_reduce": {
        "input": MATRIX,
        "dim": 0,
        "index": SLICES,
        "source": array([[7, 8], [9, 10]], "float32"),
        "reduce": "prod",
    },
    "masked_select": {"input": MATRIX, "mask": MASK},
    "masked_fill": {"input": MATRIX, "mask": MASK, "value": 7},
    "masked_scatter": {"input": MATRIX, "mask": MASK, "source": array([7, 8, 9, 10], "float32")},
    "segment_reduce": {"data": MATRIX, "segment_ids": array([1, 1, 3]), "reduce": "sum"},
    "put": {"input": MATRIX, "index": array([5, 0]), "source": array([7, 8], "float32")},
    "take": {"input": MATRIX, "index": array([[5, 0], [2, 3]])},
    "unsorted_segment_reduce": {"data": MATRIX, "segment_ids": array([1, 0, 1]), "num_segments": 3, "reduce": "sum"},
}
RESULTS: dict[str, Any] = {
    "tensor_scatter_nd_update": [[1, 7], [3, 4], [8, 6]],
    "tensor_scatter_nd_add": [[1, 9], [3, 4], [13, 6]],
    "tensor_scatter_nd_reduce": [[1, -5], [3, 4], [-3, 6]],
    "scatter_nd": [[0, 7], [0, 0], [8, 0]],
    "gather_nd": [2, 5],
    "gather_elements": [[2], [3], [6]],
    "scatter_elements": [[1, 7], [8, 4], [5, 9]],
    "index_select": [[5, 6], [1, 2]],
    "index_copy": [[9, 10], [3, 4], [7, 8]],
    "index_add": [[10, 12], [3, 4], [12, 14]],
    "index_fill": [[7, 7], [3, 4], [7, 7]],
    "index_reduce": [[9, 20], [3, 4], [35, 48]],
    "masked_select": [1, 4, 6],
    "masked_fill": [[7, 2], [3, 7], [5, 7]],
    "masked_scatter": [[7, 2], [3, 8], [5, 9]],
    "segment_reduce": [[0, 0], [4, 6], [0, 0], [5, 6]],
    "put": [[8, 2], [3, 4], [5, 7]],
    "take": [[6, 1], [3, 4]],
    "unsorted_segment_reduce": [[3, 4], [6, 8], [0, 0]],
}
