"""Evaluation: task configurations, canonical cell values, column alignment and the verdict on each task."""
