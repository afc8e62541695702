"""File names for tables: readable, safe on any file system, distinct."""

import unicodedata

MAX_BYTES = 100
RESERVED = frozenset({"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)})


def safe_name(name: str, taken: set[str]) -> str:
    """A file name stem for a table that no other in `taken` equals, ignoring case; `taken` gets it.

    Letters and digits of any script, `-` and `_` stay; everything else becomes `_`. No separator, dot or control
    character survives, so the name cannot leave its folder.
    """
    text = unicodedata.normalize("NFC", name)
    text = "".join(c if c.isalnum() or c in "-_" else "_" for c in text)
    while len(text.encode()) > MAX_BYTES:
        text = text[:-1]
    if not text.strip("_-") or text.casefold() in RESERVED:
        text = f"table_{text}".rstrip("_-") if text.strip("_-") else "table"
    free, number = text, 1
    while free.casefold() in taken:
        number += 1
        free = f"{text}_{number}"
    taken.add(free.casefold())
    return free
