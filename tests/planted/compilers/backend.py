"""A backend of torch.compile: one of PyTorch's, or a pass of ``passes.py`` before the graph runs eagerly."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import passes  # beside this file, whose folder is on the path of the worker
import torch


def use(name: str) -> None:
    """Have torch.compile use it in this process, whoever calls it."""
    backend = functools.partial(_rewritten, getattr(passes, name)) if hasattr(passes, name) else name
    torch.compile = functools.partial(torch.compile, backend=backend)


def _rewritten(
    rewrite: Callable[[torch.fx.Graph], None], module: torch.fx.GraphModule, inputs: Sequence[Any]
) -> Callable[..., Any]:
    rewrite(module.graph)
    module.graph.lint()
    module.recompile()
    return module.forward
