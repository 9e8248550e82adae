"""On which scale effects and predictions are told."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arcs.results import FitResult

__all__ = ["scale_note"]

_SCALES = {"log": "logarithms", "normal-scores": "normal scores"}


def scale_note(result: FitResult) -> str | None:
    """What was done to the variables before they were fitted; None if nothing was."""
    from arcs.data.checks import describe_columns

    record = result.preparation
    kinds: dict[str, Any] = record.get("transform", {}).get("kinds", {})
    parts = [
        f"{_SCALES[kind]} of {describe_columns(names, most=4)}" for kind, names in kinds.items()
    ]
    if record.get("adjust"):
        parts.append(f"after adjusting for {' + '.join(record['adjust']['terms'])}")
    if not parts:
        return None
    text = f"values are on the scale of the fit: {', '.join(parts)}"
    return textwrap.fill(text, 80, subsequent_indent="  ")
