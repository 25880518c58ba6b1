"""Passes of wrong compilers over a graph of torch.compile, which then runs eagerly: each is right but for one pattern.

Every public function of this file is such a pass. A worker imports the file by its path, so it needs nothing of the suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.fx import Graph, Node

_COPIES = ("getitem", "permute", "reshape")
_VIEWS = (*_COPIES, "expand", "unbind")
_COMPUTED = ("add", "sub", "mul", "flip", "sum", "clone", "neg")
_MADE = ("clone", "zeros", "empty", "tensor")
_READS = ("gather", "take_along_dim", "index_select", "take", "masked_select")
_ONES_THAT_ADD = {
    "index_add": "index_copy",
    "index_add_": "index_copy_",
    "index_put": "index_put",
    "index_put_": "index_put_",
}
_WRITES = (
    *("scatter", "index_copy", "index_put", "put", "scatter_add", "index_add", "scatter_reduce", "index_reduce"),
    *("index_fill", "masked_fill", "masked_scatter"),
)


def drops_copies(graph: Graph) -> None:
    """A copy is what was copied, although one of the two is changed in place."""
    for node in graph.find_nodes(op="call_method", target="clone"):
        node.replace_all_uses_with(node.args[0])
        graph.erase_node(node)


def scatters_late(graph: Graph) -> None:
    """A scatter is fused with what first uses its result, although an argument of it is changed before that."""
    for node in reversed(list(graph.nodes)):
        first = next((each for each in _after(node) if each in node.users), None)
        if _is_scatter(node) and first is not None:
            first.prepend(node)


def reads_early(graph: Graph) -> None:
    """Element-wise reads of arguments come first, although the arguments are changed before them."""
    first = next(node for node in graph.nodes if node.op != "placeholder")
    for node in list(graph.nodes):
        if _name(node) in _COMPUTED and all(each.op == "placeholder" for each in node.all_input_nodes):
            first.prepend(node)


def forgets_changes_of_views(graph: Graph) -> None:
    """A change of a view is one of a copy of it, so that what it is a view of remains as it was."""
    for node in list(graph.nodes):
        if _changes(node) and _is_view(node.args[0]):
            view = node.args[0]
            with graph.inserting_before(node):
                copy = graph.call_method("clone", (view,))
            for user in [node, *_uses_after(node, view)]:
                user.replace_input_with(view, copy)


def copies_views(graph: Graph) -> None:
    """A slice that nothing is written into is copied when it is made, although its tensor is changed before it is read."""
    for node in list(graph.nodes):
        if _name(node) == "getitem" and _is_view(node) and not any(map(_changes, node.users)):
            with graph.inserting_after(node):
                copy = graph.call_method("clone", (node,))
            node.replace_all_uses_with(copy, delete_user_cb=lambda user, copy=copy: user is not copy)


def drops_changes_without_a_use(graph: Graph) -> None:
    """A change of what the graph has made is dropped if nothing uses what it returns, although what it has changed is used."""
    for node in reversed(list(graph.nodes)):
        if _changes(node) and not node.users and _memory(node.args[0]).op != "placeholder":
            graph.erase_node(node)


def computes_once(graph: Graph) -> None:
    """Two equal calls are one, although an argument of them is changed in between."""
    seen: dict[Any, Node] = {}
    for node in list(graph.nodes):
        if not _name(node) or _name(node) in _MADE or _changes(node) or _is_view(node):
            continue
        first = seen.setdefault((node.target, repr(node.args), repr(node.kwargs)), node)
        if first is not node:
            node.replace_all_uses_with(first)
            graph.erase_node(node)


def gathers_without_strides(graph: Graph) -> None:
    """A transposed tensor is gathered from, or by, as if it were contiguous."""
    for node in list(graph.nodes):
        for used in node.all_input_nodes if _name(node) in _READS else []:
            if _name(used) == "permute":
                _given(graph, node, used, _as_contiguous)


def _as_contiguous(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.as_strided(tensor.shape, torch.empty(tensor.shape, device="meta").stride())


def scatters_without_offsets(graph: Graph) -> None:
    """A slice that is scattered into, or from, begins where the memory of its tensor does."""
    for node in list(graph.nodes):
        for used in node.all_input_nodes if _is_scatter(node) else []:
            if _name(used) == "getitem" and _is_view(used):
                _given(graph, node, used, _from_the_beginning)


def _from_the_beginning(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.as_strided(tensor.shape, tensor.stride(), 0)


def folds_one_period(graph: Graph) -> None:
    """The remainders of an arange are folded into a constant, which is right up to the divisor."""
    for node in list(graph.nodes):
        numbers = node.args[0] if _name(node) in {"mod", "remainder"} else None
        if isinstance(numbers, Node) and _name(_memory(numbers)) == "arange":
            node.op, node.target = "call_function", _first_period


def _first_period(numbers: torch.Tensor, divisor: int) -> torch.Tensor:
    return numbers.clamp(max=divisor - 1)


def adds_once_to_a_place(graph: Graph) -> None:
    """Where the graph makes the index, what is added to a place twice is added once."""
    for node in list(graph.nodes):
        overwriting = _ONES_THAT_ADD.get(_name(node))
        adds = _name(node).startswith("index_add") or node.kwargs.get("accumulate")
        indices = [each for each in node.all_input_nodes if each not in (node.args[0], node.args[-1])] if adds else []
        if overwriting and any(_name(each) == "expand" or _memory(each).op != "placeholder" for each in indices):
            node.op, node.target, node.args = "call_function", _added_once, (overwriting, *node.args)


def _added_once(overwriting: str, tensor: torch.Tensor, *where: Any, alpha: int = 1, accumulate: bool = False) -> Any:
    *places, added = where
    there = tensor[places[0]] if accumulate else tensor.index_select(*places)
    return getattr(tensor, overwriting)(*places, there + alpha * added)


def propagates_copies(graph: Graph) -> None:
    """What was copied over a tensor is that tensor from then on, although one of the two is changed."""
    for node in list(graph.nodes):
        if _name(node) == "copy_" and isinstance(node.args[1], Node):
            target, values = node.args
            for user in _uses_after(node, values):
                user.replace_input_with(values, target)


def merges_scatters(graph: Graph) -> None:
    """Of two scatters to the same places, one after the other, only the second is made, although both add."""
    for node in list(graph.nodes):
        first = node.args[0] if _is_scatter(node) else None
        if not isinstance(first, Node) or first.target != node.target or len(first.users) > 1:
            continue
        if first.args[1:-1] == node.args[1:-1]:
            node.replace_input_with(first, first.args[0])


def selects_what_was_scattered(graph: Graph) -> None:
    """What is selected at the places of a scatter is what was scattered, although it was added to what was there."""
    for node in list(graph.nodes):
        first = node.args[0] if _name(node) == "index_select" else None
        if not isinstance(first, Node) or not _is_scatter(first) or any(map(_changes, first.users)):
            continue
        if first.args[1:3] == node.args[1:3] and isinstance(first.args[3], Node):
            node.op, node.target, node.args, node.kwargs = "call_method", "clone", (first.args[3],), {}


def scatters_into_views(graph: Graph) -> None:
    """A scatter whose target is not used again is made in place, although the target is a view of what is."""
    for node in list(graph.nodes):
        target = node.args[0] if _is_scatter(node) else None
        if isinstance(target, Node) and _name(target) in _COPIES and _is_view(target) and not _uses_after(node, target):
            node.op, node.target = "call_method", f"{_name(node)}_"


def _name(node: Node) -> str:
    """What a node calls, as a function or as a method; of another node the empty text."""
    if node.op not in {"call_method", "call_function"}:
        return ""
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def _is_scatter(node: Node) -> bool:
    """Whether a node scatters into a new tensor."""
    return _name(node) in _WRITES and "out" not in node.kwargs


def _changes(node: Node) -> bool:
    """Whether a node changes its first argument in place."""
    return _name(node) == "setitem" or (_name(node).endswith("_") and not _name(node).endswith("__"))


def _is_view(node: Node) -> bool:
    """Whether a node may share the memory of its first argument; an item that tensors select is a copy."""
    return _name(node) in _VIEWS and (_name(node) != "getitem" or len(node.all_input_nodes) == 1)


def _memory(node: Node) -> Node:
    """The node that made the memory of another one."""
    while _is_view(node) or (_changes(node) and _name(node) != "setitem"):
        node = node.all_input_nodes[0]
    return node


def _after(node: Node) -> Iterator[Node]:
    """The nodes after one, in order."""
    while node.next.op != "root":
        node = node.next
        yield node


def _uses_after(node: Node, used: Node) -> list[Node]:
    return [each for each in _after(node) if used in each.all_input_nodes]


def _given(graph: Graph, node: Node, used: Node, function: Callable[..., Any]) -> None:
    """Give a node a function of what it uses."""
    with graph.inserting_before(node):
        node.replace_input_with(used, graph.call_function(function, (used,)))
