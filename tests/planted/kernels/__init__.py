"""Kernels in C that leave the memory of their arguments, with right ones beside them."""
