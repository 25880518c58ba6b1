"""Backends of torch.compile: each runs the graph eagerly, after a pass of ``passes.py``, by whose name it is registered."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import passes  # beside this file, whose folder is on the path of the worker
import torch


def _rewritten(
    rewrite: Callable[[torch.fx.Graph], None], module: torch.fx.GraphModule, inputs: Sequence[Any]
) -> Callable[..., Any]:
    rewrite(module.graph)
    module.graph.lint()
    module.recompile()
    return module.forward


for name, rewrite in inspect.getmembers(passes, inspect.isfunction):
    if rewrite.__module__ == passes.__name__ and not name.startswith("_"):
        torch._dynamo.register_backend(functools.partial(_rewritten, rewrite), name)
