"""The stages that make and release tasks: sample, render, release, demo."""
