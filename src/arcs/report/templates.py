"""Templates of reports, compiled once and kept beside Python's own compiled modules.

To compile the page takes longer than to fill it in. What is kept is bound to the template, to the
version of Jinja and to the module that says how templates are read: nobody ever gets a page that
was compiled with other rules for escaping. Where nothing can be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket

__all__ = ["KeptTemplates"]


class KeptTemplates(FileSystemBytecodeCache):
    """Compiled templates in the folder of compiled modules.

    Parameters
    ----------
    rules : module
        Where the environment of the templates is made.
    """

    def __init__(self, rules: ModuleType) -> None:
        source = inspect.getsourcefile(rules)
        made_by = b"" if source is None else Path(source).read_bytes()
        stamp = hashlib.sha256(version("jinja2").encode() + made_by).hexdigest()[:12]
        folder = Path(__file__).parent / "__pycache__"
        super().__init__(str(folder), f"%s.{stamp}.{sys.implementation.cache_tag}.template")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template, where that is possible and wanted."""
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                super().dump_bytecode(bucket)
