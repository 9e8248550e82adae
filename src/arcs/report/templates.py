"""Templates of reports, compiled once and kept beside Python's own compiled modules.

To compile the page takes longer than to fill it in. What is kept is bound to the template, to
Jinja's compiler and to the module that says how templates are read: nobody ever gets a page that
was compiled by other rules for escaping. Whatever is damaged counts as absent, and where nothing
can be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import jinja2.compiler
from jinja2.bccache import Bucket, BytecodeCache

from arcs.files import write_atomically

__all__ = ["KeptTemplates"]


class KeptTemplates(BytecodeCache):
    """Compiled templates in the folder of compiled modules.

    Parameters
    ----------
    rules : str
        The file of the module that makes the templates' environment.
    folder : Path, optional
        Where compiled templates are kept; beside compiled modules by default.
    """

    def __init__(self, rules: str, folder: Path | None = None) -> None:
        self._folder = folder or Path(__file__).parent / "__pycache__"
        self._made_by = MAGIC_NUMBER
        for file in (jinja2.compiler.__file__, rules):
            self._made_by += hashlib.sha256(Path(file).read_bytes()).digest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Find what was kept of a template."""
        with contextlib.suppress(OSError):
            content = self._file(bucket).read_bytes()
            code = content[hashlib.sha256().digest_size :]
            if content.startswith(self._digest(bucket, code)):
                # As trustworthy as the compiled modules in the same folder.
                bucket.code = marshal.loads(code)  # noqa: S302

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template, where that is possible and wanted."""
        if sys.dont_write_bytecode or not self._folder.is_dir():
            return
        code = marshal.dumps(bucket.code)
        with contextlib.suppress(OSError), write_atomically(self._file(bucket), "wb") as stream:
            stream.write(self._digest(bucket, code) + code)

    def _file(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.{sys.implementation.cache_tag}.template"

    def _digest(self, bucket: Bucket, code: bytes) -> bytes:
        """Of the code and of all that it was made from."""
        return hashlib.sha256(self._made_by + bucket.checksum.encode() + code).digest()
