"""Release: the tasks of a lake as a tree of files that stands alone."""

from builder.release.tree import MaterialiseReport, materialise

__all__ = ["MaterialiseReport", "materialise"]
