"""Queries as data: SQL text in, structures out; no connection."""
