"""What an example prints is compared by numbers and shapes, not by characters."""

from __future__ import annotations

import pytest

from conformance.documentation.printed import mismatch

MATRIX = "tensor([[1., 2., 3.],\n        [4., 5., 6.]])\n"


@pytest.mark.parametrize(
    ("documented", "printed"),
    [
        (MATRIX, "tensor([[1, 2, 3], [4, 5, 6]])"),
        (MATRIX, "[[1. 2. 3.]\n [4. 5. 6.]]\n"),
        (MATRIX, "Array([[1., 2., 3.],\n       [4., 5., 6.]], dtype=float64)\n"),
        ("<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>"),
        ("tensor([1, 2])", "tensor([1, 2], device='cuda:0')"),
        ("tensor([0.1427])", "tensor([0.14271])"),
        ("1e-05", "0.0000100"),
        ("array([nan, -inf])", "array([nan, -inf])"),
        ("array([1+2j])", "array([1.+2.j])"),
        ("array([ True, False])", "array([True, False])"),
        ("array([1, 2])  # the first 2", "array([1, 2])"),
        ("[0 1 ... 8 9]", "[0 1 2 3 4 5 6 7 8 9]"),
        ("[0 1 ... 8 9]", "[0, 1, 2, ..., 7, 8, 9]"),
        ("torch.float32", "torch.float32\n"),
        ("...", "anything"),
        ("5", "np.int64(5)"),
    ],
)  # fmt: skip
def test_the_same_numbers_in_the_same_arrangement_agree(documented: str, printed: str) -> None:
    assert mismatch(documented, printed) is None


@pytest.mark.parametrize(
    ("documented", "printed", "what", "says"),
    [
        (MATRIX, "tensor([[1., 2., 3.],\n        [4., 5., 7.]])", "number", "7. instead of 6. as number 6 of 6"),
        (MATRIX, "tensor([[1., 2.], [3., 4.], [5., 6.]])", "shape", "the shape (3, 2) instead of the shape (2, 3)"),
        (MATRIX, "tensor([1., 2., 3., 4., 5., 6.])", "shape", "the shape (6,) instead of the shape (2, 3)"),
        ("tensor([60])", "tensor(60)", "shape", "a single number instead of the shape (1,)"),
        ("[1] [2]", "[1]", "shape", "the shape (1,) instead of 2 numbers in another arrangement"),
        ("tensor([-1])", "tensor([1])", "number", "1 instead of -1 as number 1 of 1"),
        ("tensor([0.5])", "tensor([0.6])", "number", "0.6 instead of 0.5 as number 1 of 1"),
        ("tensor([5.])", "tensor([5.3])", "number", "5.3 instead of 5. as number 1 of 1"),
        ("array([1+2j])", "array([1-2j])", "number", "-2 instead of +2 as number 2 of 2"),
        ("array([nan])", "array([0.])", "number", "0. instead of nan as number 1 of 1"),
        ("array([True])", "array([False])", "number", "false instead of true as number 1 of 1"),
        ("array([True])", "array([1])", "number", "1 instead of true as number 1 of 1"),
        ("[0 1 ... 8 9]", "[0 1 2 3 4 5 6 7 8 8]", "number", "other numbers than those that are shown"),
        ("[0 1 ... 8 9]", "[0 1]", "number", "other numbers than those that are shown"),
        ("torch.float32", "torch.bfloat", "words", "other words"),
        (MATRIX, "", "nothing", "nothing"),
    ],
)
def test_what_differs_is_named(documented: str, printed: str, what: str, says: str) -> None:
    different = mismatch(documented, printed)
    assert different is not None
    assert (different.what, different.says) == (what, says)
