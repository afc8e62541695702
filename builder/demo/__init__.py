"""A small corpus of benchlake's own: two invented SQLite databases with questions and gold SQL.

One is a fund house, the other a clinic. The quick start and the tests build tasks from them; nothing in them is copied
from a data set.
"""

from builder.demo.corpus import write_demo

__all__ = ["write_demo"]
