"""A look at a table with categories before anything is learned from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcs.data.audit import Audit
from arcs.data.checks import describe_columns
from arcs.data.dataset import Dataset
from arcs.data.indicators import varying_sums
from arcs.data.policies import KEEP

__all__ = ["audit_categories"]

#: More levels than this in a column make for tables that few rows can fill.
_MANY_LEVELS = 20
#: A level in fewer rows than this is rare.
_RARE = 5


def audit_categories(data: Dataset) -> Audit:
    """The audit of a data set with categories."""
    facts = _facts(data)
    return Audit(
        n=data.n,
        p=data.p,
        effective_n=data.n,
        fewer_rows_than_columns=data.n < data.p,
        **facts,
        problems=_problems(data, facts),
        warnings=_warnings(data),
        notes=_notes(data, facts),
    )


def _facts(data: Dataset) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "discrete": data.discrete,
        "constant": tuple(_constant(data)),
        "unmeasured": dict(data.unmeasured),
    }
    if data.profile is not None:
        counts = data.profile.missing
        facts["missing"] = {data.names[j]: int(counts[j]) for j in np.flatnonzero(counts)}
        facts["rows_dropped"] = data.profile.rows - data.n
    if data.interventions is not None:
        rows = data.interventions.rows_intervened
        facts["intervened"] = {data.names[j]: int(rows[j]) for j in np.flatnonzero(rows)}
        always = np.flatnonzero(rows >= data.n)
        facts["never_observed"] = tuple(data.names[j] for j in always)
    return facts


def _constant(data: Dataset) -> list[str]:
    """Columns that do not vary."""
    if data.values is None:
        return [data.names[j] for j in varying_sums(data).constant]
    columns = zip(data.names, data.values.T, strict=True)
    return [name for name, column in columns if _is_constant(column)]


def _is_constant(column: np.ndarray) -> bool:
    present = column[np.isfinite(column)]
    return bool(present.size == 0 or (present == present[0]).all())


def _problems(data: Dataset, facts: dict[str, Any]) -> tuple[str, ...]:
    found = []
    if data.missing == KEEP and facts.get("missing"):
        listed = describe_columns(list(facts["missing"]), list(facts["missing"].values()))
        found.append(f"values are missing: {listed} (--missing drop, or --missing level)")
    if facts["constant"] and data.constant == "error":
        found.append(f"does not vary: {describe_columns(facts['constant'])} (--constant isolate)")
    return tuple(found)


def _warnings(data: Dataset) -> tuple[str, ...]:
    """Columns whose tables cannot be filled."""
    texts = []
    sizes = {name: len(own) for name, own in zip(data.names, data.levels or (), strict=True) if own}
    many = [name for name, size in sizes.items() if size > _MANY_LEVELS]
    if many:
        listed = describe_columns(many, [sizes[name] for name in many])
        texts.append(
            f"many levels: {listed}. Every level costs parameters, so that edges are found late: "
            "join levels that mean the same, or leave out what is an identifier (--exclude "
            f"{many[0]})"
        )
    return tuple(texts)


def _notes(data: Dataset, facts: dict[str, Any]) -> tuple[str, ...]:
    table = data.level_table()
    rows = list(zip(table["column"], table["level"], table["rows"], strict=True))
    texts = []
    unused = [f"{column}={level}" for column, level, n in rows if n == 0]
    if unused:
        texts.append(f"declared levels that do not occur: {describe_columns(unused, most=5)}")
    rare = [f"{column}={level}" for column, level, n in rows if 0 < n < _RARE]
    if rare:
        texts.append(
            f"levels in fewer than {_RARE} rows: {describe_columns(rare, most=5)}; what depends on "
            "them cannot be learned"
        )
    if data.missing == "level" and facts.get("missing"):
        listed = describe_columns(list(facts["missing"]), list(facts["missing"].values()))
        texts.append(f"what is missing is a level of its own: {listed}")
    if facts.get("rows_dropped"):
        total = facts["rows_dropped"] + data.n
        texts.append(f"{facts['rows_dropped']} of {total} rows with missing values were dropped")
    for name, points in data.cuts.items():
        texts.append(f"{name!r} is cut at {', '.join(f'{point:.4g}' for point in points)}")
    return tuple(texts)
