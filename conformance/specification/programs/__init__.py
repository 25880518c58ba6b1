"""Programs around a call: a small typed language, which is read and written as Python.

``language`` says what a program is, ``reading`` reads its text without running it, ``meaning`` computes what the call in it receives
and which arguments it changes, and ``file`` reads ``programs.yaml``.
"""
