"""How a learner refuses settings that it cannot use."""

from __future__ import annotations

from arcs.errors import SettingsError

__all__ = ["require_setting"]


def require_setting(holds: bool, what: str, value: object) -> None:
    """Raise a `SettingsError` that says `what` must hold and which value does not."""
    if not holds:
        raise SettingsError(f"{what}, got {value!r}")
