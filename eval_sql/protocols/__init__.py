"""Scoring by the protocols of other benchmarks: DABench's closed-form answers, EHRSQL, and execution match."""
