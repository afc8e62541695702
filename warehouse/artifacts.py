"""Files kept by content: `artifacts/sha256/ab/abcdef…`, written once, never changed."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

CHUNK = 1 << 20


def file_digest(path: Path) -> str:
    """SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


class ArtifactStore:
    """The `artifacts/` folder of a lake."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        """Where the file with this SHA-256 lies (it may be absent)."""
        return self.root / "sha256" / digest[:2] / digest

    def put_bytes(self, data: bytes) -> str:
        """Keep bytes; returns their SHA-256. Keeping the same bytes twice writes nothing."""
        digest = hashlib.sha256(data).hexdigest()
        if not self.path(digest).exists():
            with self.scratch() as folder:
                staged = Path(folder) / "file"
                staged.write_bytes(data)
                self._adopt(staged, digest)
        return digest

    def put_all(self, contents: Sequence[bytes]) -> list[str]:
        """Keep many small files; returns their SHA-256. One flush of the disks serves them all."""
        digests = [hashlib.sha256(data).hexdigest() for data in contents]
        new = {digest: data for digest, data in zip(digests, contents, strict=True) if not self.path(digest).exists()}
        if new:
            with self.scratch() as folder:
                for digest, data in new.items():
                    (Path(folder) / digest).write_bytes(data)
                os.sync()
                for digest in new:
                    self._name(Path(folder) / digest, digest)
        return digests

    def put_file(self, source: Path, *, move: bool = False) -> str:
        """Keep a file; returns its SHA-256.

        The copy is hashed, not the original, so a file that changes underneath cannot be kept under a wrong name.
        With `move` the source, which must lie in the lake's own scratch folder, is taken over.
        """
        if move:
            digest = file_digest(source)
            self._adopt(source, digest)
            return digest
        with self.scratch() as folder:
            staged = Path(folder) / "file"
            shutil.copyfile(source, staged)
            digest = file_digest(staged)
            self._adopt(staged, digest)
        return digest

    def scratch(self) -> "tempfile.TemporaryDirectory[str]":
        """A scratch folder on the lake's own file system, removed on exit; leftovers are cleaned by vacuum."""
        folder = self.root / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(dir=folder)

    def digests(self) -> Iterator[str]:
        """Every SHA-256 present, in order."""
        base = self.root / "sha256"
        if base.is_dir():
            for shard in sorted(base.iterdir()):
                yield from sorted(entry.name for entry in shard.iterdir())

    def remove(self, digest: str) -> None:
        """Forget a file that nothing refers to."""
        self.path(digest).unlink(missing_ok=True)

    def leftovers(self) -> list[Path]:
        """Scratch folders of processes that died."""
        folder = self.root / "tmp"
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def _adopt(self, staged: Path, digest: str) -> None:
        if self.path(digest).exists():
            staged.unlink()
            return
        # The content must be on disk before its name is: a commit that refers to it must not outlive it.
        with staged.open("rb+") as handle:
            os.fsync(handle.fileno())
        self._name(staged, digest)

    def _name(self, staged: Path, digest: str) -> None:
        target = self.path(digest)
        target.parent.mkdir(parents=True, exist_ok=True)
        staged.chmod(0o444)
        staged.replace(target)
