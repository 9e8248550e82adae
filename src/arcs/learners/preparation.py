"""What was done to the data, as a record that a result keeps and as sentences for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data import Dataset
from arcs.data.checks import describe_columns

if TYPE_CHECKING:
    from arcs.learners.conditions import Found
    from arcs.learners.mixed_conditions import MixedFound

__all__ = ["conditions_record", "conditions_sentence", "preparation_of"]

_SCALES = {"log": "logarithms", "normal-scores": "normal scores (units of standard deviations)"}
_MEANING = {
    "common": "all conditions share their means",
    "free": "every condition has means of its own",
    "sparse": "few means differ",
    "mixed": "some conditions have means of their own, in others few differ",
}


def preparation_of(
    found: Found, *, targets_known: bool = True, min_r2: float = 0.0
) -> dict[str, Any]:
    """The record of covariates and conditions; empty if there are none.

    Where targets are not known, regimes may shift means as one of the changes that are found.
    `min_r2` is the share of variance that an edge had to explain.
    """
    record: dict[str, Any] = {}
    sentences = []
    if found.dataset.covariates is not None:
        record["adjust"] = _adjustment(found.dataset)
        sentences.append(_adjustment_sentence(record["adjust"]))
    transform = _transform(found)
    if transform:
        record["transform"] = transform
        sentences.append(_transform_sentence(transform, found.dataset.p))
    if found.policy:
        record["conditions"] = conditions_record(found, targets_known)
        sentences.append(conditions_sentence(record["conditions"], found.dataset.p))
    if found.learned.hidden is not None:
        record["latent"] = _latent(found)
        sentences.append(_latent_sentence(record["latent"]))
    if min_r2:
        record["min_r2"] = min_r2
        sentences.append(
            f"Edges that explain less than {100 * min_r2:.3g} % of what the other parents of their "
            "head leave are left out (min_r2)."
        )
    if sentences:
        record["sentences"] = sentences
    return record


def _adjustment(dataset: Dataset) -> dict[str, Any]:
    covariates = dataset.covariates
    assert covariates is not None
    shares = dataset.covariate_shares()
    return {
        "terms": list(covariates.terms),
        "columns": list(covariates.columns),
        "partial_r2": {
            term: dict(zip(dataset.names, np.round(row, 6).tolist(), strict=True))
            for term, row in zip(covariates.terms, shares.partial, strict=True)
        },
        "r2": dict(zip(dataset.names, np.round(shares.together, 6).tolist(), strict=True)),
        "degrees": shares.degrees,
    }


def _adjustment_sentence(record: dict[str, Any]) -> str:
    together = np.array(list(record["r2"].values()))
    most = max(record["r2"], key=lambda name: record["r2"][name])
    aliased = len(record["columns"]) - record["degrees"]
    degrees = "degree" if record["degrees"] == 1 else "degrees"
    explain = "they explain" if len(record["terms"]) > 1 else "it explains"
    text = (
        f"Adjusted for {' + '.join(record['terms'])} ({record['degrees']} {degrees} of freedom): "
        f"{explain} {100 * np.median(together):.0f} % of a variable's variance in the median, "
        f"at most {100 * together.max():.0f} % ({most})."
    )
    if aliased > 0:
        says = (
            "says what others say and counts" if aliased == 1 else "say what others say and count"
        )
        text += f" {aliased} of their columns {says} once."
    return text


def _transform(found: Found) -> dict[str, Any]:
    kinds = found.dataset.transform
    record: dict[str, Any] = {}
    if isinstance(kinds, tuple):
        names = found.dataset.names
        record["kinds"] = {
            kind: [name for name, own in zip(names, kinds, strict=True) if own == kind]
            for kind in dict.fromkeys(kinds)
            if kind != "none"
        }
    if found.transform_note:
        record["reason"] = found.transform_note
    return record


def _transform_sentence(record: dict[str, Any], p: int) -> str:
    reason = f" ({record['reason']})" if "reason" in record else ""
    if "kinds" not in record:
        return f"All variables are taken as they are{reason}; --transform chooses otherwise."
    listed = "; ".join(
        f"{_SCALES[kind]} of "
        + ("all variables" if len(names) == p else describe_columns(names, most=6))
        for kind, names in record["kinds"].items()
    )
    return f"Learned from {listed}{reason}: coefficients and effects are on that scale."


def _latent(found: Found) -> dict[str, Any]:
    hidden, names = found.learned.hidden, found.dataset.names
    record: dict[str, Any] = {
        "factors": hidden.model.k,
        "evidence": round(hidden.evidence, 3),
        "prices": {str(k): round(price, 3) for k, price in hidden.prices.items()},
    }
    if hidden.model.k:
        loadings = np.round(hidden.model.loadings * hidden.scale, 6).T
        record["loadings"] = dict(zip(names, loadings.tolist(), strict=True))
        if hidden.scores is not None:
            record["scores"] = np.round(hidden.scores, 4).tolist()
    return record


def _latent_sentence(record: dict[str, Any]) -> str:
    if not record["factors"]:
        return "No hidden factor shortens the description of the data."
    many = (
        "1 hidden factor acts"
        if record["factors"] == 1
        else f"{record['factors']} hidden factors act"
    )
    return (
        f"{many} on the variables (log-evidence {record['evidence']:,.0f}): edges and "
        "coefficients are given the factors, whose loadings and scores are in the result."
    )


def conditions_record(found: Found | MixedFound, targets_known: bool = True) -> dict[str, Any]:
    """How conditions were treated."""
    conditions = found.dataset.conditions
    assert conditions is not None
    record: dict[str, Any] = {
        "labels": list(conditions.labels),
        "policy": found.policy,
        "asked": conditions.policy,
        "implied": conditions.implied,
    }
    if conditions.implied and not targets_known:
        record["mechanisms"] = True
    if found.totals:
        record["totals"] = {name: round(total, 3) for name, total in found.totals.items()}
    if conditions.shifts is not None and not conditions.shifts.all():
        names = found.dataset.names
        record["shifts"] = {
            label: [names[v] for v in np.flatnonzero(row)]
            for label, row in zip(conditions.labels, conditions.shifts, strict=True)
            if row.any()
        }
    return record


def conditions_sentence(record: dict[str, Any], p: int) -> str:
    """The same in words."""
    origin = "labels of interventions" if record["implied"] else "conditions"
    if record.get("mechanisms") and record["policy"] == "common":
        return f"{len(record['labels'])} regimes: means differ where a mechanism is told to change."
    nothing = record.get("shifts") == {}
    meaning = "no mean is found to differ" if nothing else _MEANING[record["policy"]]
    text = f"{len(record['labels'])} {origin}: {meaning}"
    totals = record.get("totals", {})
    if len(totals) > 1:
        listed = ", ".join(f"{name} {total:,.0f}" for name, total in totals.items())
        text += f" (it costs least: {listed})"
    if record.get("shifts"):
        where = [
            f"{label}: {'all' if len(names) == p else describe_columns(names, most=4)}"
            for label, names in list(record["shifts"].items())[:4]
        ]
        more = len(record["shifts"]) - len(where)
        text += f"; shifted: {'; '.join(where)}" + (f" and {more} more" if more else "")
    if record["implied"] and record["policy"] == "common":
        return f"{text}."
    if record["implied"]:
        return f"{text}. --conditions none (conditions='none') takes all rows alike."
    return f"{text}. --condition-policy (condition_policy=...) chooses otherwise."
