"""The scores of mixed tables, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arcs.errors import DataError

if TYPE_CHECKING:
    from arcs.data.mixed import MixedData
    from arcs.scores.blocks import BlockScore
    from arcs.scores.conditional import ConditionalScore

    MixedScore = BlockScore | ConditionalScore

__all__ = ["mixed_score"]


def mixed_score(table: MixedData, chosen: Mapping[str, Any], **knowledge: Any) -> MixedScore:
    """The score that `chosen` describes (kind, gamma) of a mixed table.

    Only the engine that is needed is loaded.
    """
    gamma = chosen["gamma"]
    if chosen.get("kind") == "conditional-gaussian":
        if table.dataset.values is None:
            raise DataError(
                "mixed_score='conditional-gaussian' counts rows, and this data set holds sums only:"
                " leave mixed_score out, or read the table with in_memory=True"
            )
        from arcs.scores.conditional import ConditionalScore

        return ConditionalScore(table.dataset, table.was_set, gamma, **knowledge)
    from arcs.scores.blocks import Blocks, BlockScore

    return BlockScore(Blocks.of(table.dataset), gamma, **knowledge)
