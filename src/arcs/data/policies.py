"""What is done about rows that cannot be used as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcs.data.checks import check_choice, describe_columns, refuse_missing
from arcs.data.interventions import Interventions
from arcs.data.missing import MISSING_POLICIES
from arcs.errors import DataError

__all__ = ["KEEP", "check_policies", "no_holes_in_experiments", "settle_missing"]

#: Not offered to users: rows with holes are kept for the audit, and refused by the statistics.
KEEP = "keep"


def check_policies(missing: str, unmeasured: str) -> None:
    """Refuse policies that there are not."""
    if missing != KEEP:
        check_choice("missing", missing, MISSING_POLICIES)
    check_choice("unmeasured", unmeasured, ("error", "drop"))


def settle_missing(
    values: np.ndarray,
    finite: np.ndarray,
    names: Sequence[str],
    design: Interventions | None,
    missing: str,
    *,
    categories: bool = False,
) -> tuple[np.ndarray, np.ndarray | None]:
    """The rows to go on with, by the policy, and their numbers (None for all).

    `finite` says what is present. Beside `categories` holes in numbers cannot stay.
    """
    complete = np.flatnonzero(finite.all(axis=1))
    only_drop = categories or (design is not None and design.experimental)
    if missing in ("error", "level") or (categories and missing in ("pairwise", "em")):
        refuse_missing(values, names, only_drop=only_drop)
    if missing == "drop":
        return values[complete], complete
    if missing != KEEP and design is not None and design.experimental:
        raise no_holes_in_experiments(missing, complete.size, len(values))
    empty = [names[j] for j in np.flatnonzero(~finite.any(axis=0)).tolist()]
    if missing != KEEP and empty:
        raise DataError(
            f"{len(empty)} columns have no value at all: {describe_columns(empty)}. Leave them "
            f"out with exclude={empty[:3]!r}."
        )
    return np.where(finite, values, np.nan), None


def no_holes_in_experiments(missing: str, complete: int, rows: int) -> DataError:
    """One covariance cannot stand for rows of several distributions."""
    return DataError(
        f"missing={missing!r} takes all rows to follow one distribution, which interventions "
        f"change; with interventions use missing='drop', which keeps {complete} of {rows} rows, "
        "and leave out columns in which much is missing"
    )
