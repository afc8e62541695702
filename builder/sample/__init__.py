"""Sampling: a small, executable database for each question, with its gold (DataSpace 4.2 and A.2)."""

from builder.sample.policy import Policy, load_policy
from builder.sample.stage import SampleReport, sample

__all__ = ["Policy", "SampleReport", "load_policy", "sample"]
