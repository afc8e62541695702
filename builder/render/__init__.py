"""Rendering: an instance's tables as files of a workspace, each checked by reading it back (DataSpace 4.3, A.3.1)."""

from builder.render.stage import RenderReport, render

__all__ = ["RenderReport", "render"]
