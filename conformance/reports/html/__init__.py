"""index.html: one file that works from disk without a network."""

from __future__ import annotations

from conformance.reports.html.page import index_html

__all__ = ["index_html"]
