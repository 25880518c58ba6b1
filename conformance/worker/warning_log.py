"""Record the warnings of many calls without entering ``warnings.catch_warnings`` for each."""

from __future__ import annotations

import warnings
from typing import Any, Optional


class WarningLog:
    """Records every warning of the process until it ends; what a call changes of the filters is undone."""

    def __init__(self) -> None:
        self._caught: list[warnings.WarningMessage] = []
        self._context: Optional[Any] = None
        self._filters: Any = None
        self._copy: list[Any] = []
        self._show: Any = None

    def restart(self) -> list[warnings.WarningMessage]:
        """Return the list to which warnings are appended from now on, without the earlier ones."""
        if self._is_changed():
            self._enter()
        self._caught.clear()
        return self._caught

    def _is_changed(self) -> bool:
        return (
            warnings.filters is not self._filters
            or self._filters != self._copy
            or warnings.showwarning is not self._show
        )

    def _enter(self) -> None:
        if self._context is not None:
            self._context.__exit__(None, None, None)
        self._context = warnings.catch_warnings(record=True)
        self._caught = self._context.__enter__()
        warnings.simplefilter("always")
        self._filters, self._copy, self._show = warnings.filters, list(warnings.filters), warnings.showwarning
