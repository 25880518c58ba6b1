"""The site: static pages that work from disk without a network."""

from __future__ import annotations

from conformance.reports.site.folder import move_site, remove_site, write_site
from conformance.reports.site.guide import Guide
from conformance.reports.site.publishing import publish
from conformance.reports.site.site import Published, site_files

__all__ = ["Guide", "Published", "move_site", "publish", "remove_site", "site_files", "write_site"]
