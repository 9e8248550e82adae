"""Templates of reports, compiled once and kept beside Python's own compiled modules.

To compile the page takes longer than to fill it in. What is kept is bound to the template, to
Jinja's compiler and to the module that says how templates are read: nobody ever gets a page that
was compiled by other rules for escaping. Where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from pathlib import Path

import jinja2.compiler
from jinja2.bccache import Bucket, FileSystemBytecodeCache

__all__ = ["KeptTemplates"]


class KeptTemplates(FileSystemBytecodeCache):
    """Compiled templates in the folder of compiled modules.

    Parameters
    ----------
    rules : str
        The file of the module that makes the templates' environment.
    folder : Path, optional
        Where compiled templates are kept; beside compiled modules by default.
    """

    def __init__(self, rules: str, folder: Path | None = None) -> None:
        digest = hashlib.sha256()
        for file in (jinja2.compiler.__file__, rules):
            digest.update(hashlib.sha256(Path(file).read_bytes()).digest())
        stamp = f"{digest.hexdigest()[:12]}.{sys.implementation.cache_tag}"
        kept = folder or Path(__file__).parent / "__pycache__"
        super().__init__(str(kept), f"%s.{stamp}.template")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template, where that is possible and wanted."""
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                super().dump_bytecode(bucket)
