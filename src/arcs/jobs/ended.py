"""How a task ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Ended"]


@dataclass(frozen=True, eq=False)
class Ended:
    """A task and what became of it.

    Attributes
    ----------
    task
    value
        What its function returned.
    error : BaseException or None
        What its function raised.
    lost : str
        How the process ended that the task was lost with, and its last words.
    late : bool
        Whether the process was ended because its time was up.
    """

    task: Any
    value: Any = None
    error: BaseException | None = None
    lost: str = ""
    late: bool = False
