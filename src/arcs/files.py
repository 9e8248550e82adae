"""Files that are whole: written at once or not at all, and checked when they are read.

Results, checkpoints and replicates are saved as one kind of archive: arrays beside a header of
plain values with the name of the format, its version, and a digest of everything else. An archive
is a ``.npz`` file, or JSON, which people can read. There is no pickle in either.

What a file holds beyond what a reader knows is ignored with a warning: fields can be added without
a new version. The version rises only when an older reader would be misled.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from arcs.errors import ArcsError, FileFormatError, FileWarning, SettingsError, warn_caller
from arcs.settings import is_path

__all__ = [
    "ArchiveFormat",
    "going_on",
    "plain_json",
    "refuse_impossible_name",
    "refuse_no_folder",
    "warn_of_unknown",
    "write_atomically",
]

#: JSON has no NaN and no infinity; they become ``{"not json": "NaN"}``.
_NOT_JSON = "not json"
_HEADER = "header"
#: How a ``.npz`` file begins.
_ZIP = b"PK"
#: The first checkpoints and replicates had no header, but two texts among the arrays.
_FIRST_HEADER = ("magic", "key")


@contextlib.contextmanager
def write_atomically(
    path: str | os.PathLike[str], mode: str = "w", *, errors: str = "strict"
) -> Iterator[IO[Any]]:
    """Open a temporary file beside `path`; move it there when the block succeeds.

    If the block raises (a full disk, Ctrl-C), the temporary file is removed and whatever stood at
    `path` before is untouched. Errors of the system name `path`. A link stays a link, to the new
    content; what is no ordinary file (a pipe, ``/dev/stdout``) is written to as it is. `errors`
    says what becomes of halves of characters, which are in names of files that are not UTF-8.
    """
    if not is_path(path):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), os.fspath(path))
    target = Path(os.path.realpath(path))
    how: dict[str, Any] = {}
    if "b" not in mode:
        how = {"encoding": "utf-8", "newline": "", "errors": errors}
    if os.path.exists(target) and not target.is_file() and not target.is_dir():
        with target.open(mode, **how) as stream:
            yield stream
        return
    # A short name: one made of the target's could be too long for the file system.
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with temporary.open(mode.replace("w", "x"), **how) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error
        raise


@dataclass(frozen=True)
class ArchiveFormat:
    """One kind of archive.

    Attributes
    ----------
    name : str
        What the file says it is.
    version : int
        Files up to this one can be read.
    title : str
        What messages call such a file.
    """

    name: str
    version: int
    title: str

    def write_binary(
        self,
        path: str | os.PathLike[str],
        header: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        *,
        compress: bool = True,
    ) -> Path:
        """Write a ``.npz`` file, atomically."""
        content = self._begun(header)
        content["digest"] = _digest(content, _digests(arrays))
        members = {_HEADER: np.array(json.dumps(content)), **arrays}
        save: Any = np.savez_compressed if compress else np.savez
        with write_atomically(path, "wb") as stream:
            save(stream, **members)
        return Path(path)

    def write_text(
        self,
        path: str | os.PathLike[str],
        header: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
    ) -> Path:
        """Write JSON, atomically; arrays lose their shape, but nothing of their content."""
        listed = {name: _listed(array) for name, array in arrays.items()}
        content = {**self._begun(header), "arrays": json.loads(plain_json(listed))}
        content["digest"] = _digest(content, content["arrays"])
        with write_atomically(path) as stream:
            stream.write(json.dumps(content, indent=1, allow_nan=False))
        return Path(path)

    def _begun(self, header: Mapping[str, Any]) -> dict[str, Any]:
        begun = {"format": self.name, "version": self.version, **header}
        content: dict[str, Any] = json.loads(plain_json(begun))
        return content

    def read(self, path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Header and arrays; what is damaged, of another kind or newer is refused."""
        source = Path(path)
        refuse_impossible_name(source)
        if not source.exists():
            raise FileFormatError(f"{source}: there is no such file")
        with self.damage(source):
            content = source.read_bytes()
            binary = content.startswith(_ZIP)
            header, arrays = _unpacked(content) if binary else (json.loads(content), None)
            if not isinstance(header, dict) or header.get("format") != self.name:
                raise FileFormatError(f"{source}: not an ARCS {self.title}")
            version = header.get("version")
            if not isinstance(version, int) or version > self.version:
                raise FileFormatError(
                    f"{source}: written by a newer version of ARCS (format {version!r:.20}, this "
                    f"one reads up to {self.version}); upgrade arcs-bn"
                )
            listed, digest = header.pop("arrays", None), header.pop("digest", None)
            # Binary files of the first version have a checksum for each array instead.
            unsigned = digest is None and arrays is not None and version == 1
            entries = listed if arrays is None else _digests(arrays)
            if not unsigned and digest != _digest(header, entries):
                raise FileFormatError(
                    f"{source}: damaged: its contents do not match their checksum"
                )
            if arrays is None:
                arrays = {name: _unlisted(entry) for name, entry in listed.items()}
            return _revived(header), arrays

    @contextlib.contextmanager
    def damage(self, path: Path) -> Iterator[None]:
        """Within the block, whatever a garbled file causes is a :class:`FileFormatError`."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or error
            raise FileFormatError(f"{path}: cannot be read ({reason})") from error
        except FileFormatError:
            raise
        # Decompressors, parsers and array constructors raise all there is: a garbled archive may
        # claim to be encrypted, or of any size; NumPy reads array headers as Python source.
        except Exception as error:
            reason = str(error) if isinstance(error, ArcsError) else repr(error)[:200]
            raise FileFormatError(
                f"{path}: damaged or not an ARCS {self.title} ({reason})"
            ) from error


def warn_of_unknown(path: str | os.PathLike[str], unknown: Iterable[str]) -> None:
    """Say what in a file is not known here, and therefore ignored."""
    names = list(unknown)
    if names:
        warn_caller(
            f"{os.fspath(path)}: {', '.join(map(repr, names))}: not known to this version of ARCS, "
            "and ignored",
            FileWarning,
        )


@contextlib.contextmanager
def going_on(path: Path) -> Iterator[None]:
    """Within the block, a checkpoint that cannot be written is a warning: the work goes on.

    So is a folder that somebody has deleted meanwhile; :func:`refuse_no_folder` tells at the start
    that there is none.
    """
    try:
        yield
    except OSError as error:
        warn_caller(
            f"{path}: cannot be written ({error.strerror}); the work goes on, but could not be "
            "resumed from here",
            FileWarning,
        )


def refuse_no_folder(name: str, path: str | os.PathLike[str]) -> None:
    """Refuse the setting `name` if nothing can be at `path`, before the work that it is for."""
    folder = Path(path).parent
    if not os.path.isdir(folder):
        raise SettingsError(f"{name}: there is no folder {str(folder)!r}; make it, or choose one")
    if os.path.isdir(path):
        raise SettingsError(f"{name}: {os.fspath(path)!r} is a folder; give the name of a file")


def refuse_impossible_name(path: str | os.PathLike[str]) -> None:
    """Refuse to read what no file can be called: with NUL or half a character in it, or too long.

    Python's own functions tell some of these from files that are not there, and some not.
    """
    try:
        os.stat(path)
    except ValueError:
        raise FileFormatError(f"{os.fspath(path)!r:.200}: there is no such file") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise FileFormatError(f"{os.fspath(path)!s:.200}: {error.strerror}") from None


def plain_json(value: Any) -> str:
    """Strict JSON: no NaN or infinity tokens; what is not a plain value becomes one."""
    text = json.dumps(value, default=_plain)
    return json.dumps(json.loads(text, parse_constant=lambda token: {_NOT_JSON: token}))


def _plain(value: Any) -> Any:
    """NumPy scalars, arrays and unknown objects as JSON values."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


def _revived(value: Any) -> Any:
    """Undo what strict JSON did to NaN and infinity."""
    if isinstance(value, dict):
        if value.keys() == {_NOT_JSON}:
            return float(value[_NOT_JSON])
        return {key: _revived(entry) for key, entry in value.items()}
    return [_revived(entry) for entry in value] if isinstance(value, list) else value


# ---------------------------------------------------------------------- the two forms
def _unpacked(content: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    if _HEADER in arrays:
        return json.loads(str(arrays.pop(_HEADER))), arrays
    magic, key = (str(arrays.pop(name)) for name in _FIRST_HEADER)
    return {"format": magic.removesuffix("-1"), "version": 1, "key": key}, arrays


def _listed(array: np.ndarray) -> dict[str, Any]:
    return {"dtype": str(array.dtype), "values": np.asarray(array).ravel().tolist()}


def _unlisted(entry: Mapping[str, Any]) -> np.ndarray:
    return np.array(_revived(entry["values"]), dtype=np.dtype(entry["dtype"]))


def _digest(header: Mapping[str, Any], arrays: Mapping[str, Any]) -> str:
    return hashlib.sha256(plain_json({**header, "arrays": arrays}).encode()).hexdigest()


def _digests(arrays: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """What stands for the arrays of a binary file in its digest."""
    found = {}
    for name, array in arrays.items():
        content = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        found[name] = [array.dtype.str, list(array.shape), content]
    return found
