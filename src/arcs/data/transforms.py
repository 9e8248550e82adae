"""Scales of the variables: as they are, logarithms, or normal scores.

Normal scores replace a value by the Gaussian quantile of its rank, z = Phi^{-1}((rank - 1/2) / n):
right where variables were measured on a strange scale, or where some values lie far out; wrong
where only the noise of a linear model is skewed. With conditions ranks are taken within each of
them and the conditions' medians are put back, in units of the pooled median absolute deviation, so
that means may still differ. Missing values stay missing.

`looks_transformed` is the first half of the rule "auto" (the second needs fits,
:mod:`arcs.learners.transforms`): the median over variables of |excess kurtosis| above
max(1, 3 sqrt(24 / n)), or of |skewness| above max(0.5, 3 sqrt(6 / n)). `has_far_cells` sees what
medians over variables do not, single wild cells: more than 2 of 1,000 lie beyond five robust
standard deviations, where a Gaussian has one in two millions.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arcs.data.checks import describe_columns
from arcs.errors import DataError, SettingsError, nearest_name
from arcs.lazily import Lazily

__all__ = [
    "AUTO",
    "TRANSFORMS",
    "apply_transforms",
    "has_far_cells",
    "looks_transformed",
    "normal_scores",
    "parse_transforms",
    "shape_of",
]

special, stats = Lazily("scipy.special"), Lazily("scipy.stats")

TRANSFORMS = ("none", "log", "normal-scores")
#: Robust standard deviations beyond which a cell is far out, and how many may be.
_FAR, _FAR_SHARE = 5.0, 0.002
#: The word for: the data decide.
AUTO = "auto"


def parse_transforms(given: Any, names: Sequence[str]) -> tuple[str, ...] | str | None:
    """The transform of each variable, "auto", or None for none at all.

    Parameters
    ----------
    given : str, mapping, or None
        One word for all variables; words with columns, as in ``"log:raf,mek; normal-scores:akt"``;
        or a mapping of names to words.
    names : sequence of str
    """
    if given is None or given == "none":
        return None
    if given == AUTO:
        return AUTO
    chosen = dict.fromkeys(names, "none")
    if isinstance(given, Mapping):
        pairs = [(name, word) for name, word in given.items()]
    elif isinstance(given, str):
        pairs = _pairs(given, names)
    else:
        raise SettingsError(f"transform must be a word or a mapping, got {given!r:.80}")
    for name, word in pairs:
        if word not in TRANSFORMS:
            known = ", ".join(repr(kind) for kind in (*TRANSFORMS, AUTO))
            raise SettingsError(f"transform must be one of {known}; got {word!r:.40}")
        if name not in chosen:
            raise DataError(
                f"transform: there is no variable {name!r}{nearest_name(str(name), names)}"
            )
        chosen[name] = word
    return None if set(chosen.values()) == {"none"} else tuple(chosen.values())


def refuse_levels(
    transform: tuple[str, ...] | str | None, names: Sequence[str], kinds: Sequence[object]
) -> None:
    """Levels of categories have no scale that could be changed."""
    if transform is None:
        return
    words = (transform,) * len(names) if isinstance(transform, str) else transform
    wrong = [
        name
        for name, word, own in zip(names, words, kinds, strict=True)
        if own is not None and word != "none"
    ]
    if wrong:
        raise DataError(
            f"transform: {describe_columns(wrong)} hold categories, which have no scale; leave "
            "transform out, or name the columns of numbers (transform='log:height,weight')"
        )


def _pairs(text: str, names: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for part in text.split(";"):
        word, colon, columns = part.partition(":")
        listed = [name.strip() for name in columns.split(",") if name.strip()]
        if colon and not listed:
            raise SettingsError(f"transform: {part.strip()!r} names no columns")
        pairs += [(name, word.strip()) for name in (listed if colon else names)]
    return pairs


def apply_transforms(
    values: np.ndarray, kinds: Sequence[str], names: Sequence[str], code: np.ndarray | None
) -> np.ndarray:
    """The rows on their new scales; `code` is the condition of each row."""
    new = np.array(values, dtype=np.float64)
    logs = [j for j, kind in enumerate(kinds) if kind == "log"]
    refused = [j for j in logs if bool((new[:, j] <= 0).any())]
    if refused:
        counts = [int((new[:, j] <= 0).sum()) for j in refused]
        listed = describe_columns([names[j] for j in refused], counts)
        raise DataError(
            f"transform='log': {len(refused)} columns have values of zero or less: {listed}. Add "
            "an offset first, or use 'normal-scores' for them."
        )
    new[:, logs] = np.log(new[:, logs])
    scores = [j for j, kind in enumerate(kinds) if kind == "normal-scores"]
    if scores:
        new[:, scores] = normal_scores(new[:, scores], code)
    new.setflags(write=False)
    return new


def normal_scores(values: np.ndarray, code: np.ndarray | None = None) -> np.ndarray:
    """Gaussian quantiles of ranks, within conditions if there are any; ties share a score."""
    if code is None or not len(values):
        return _scores(values)
    groups = np.unique(code)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without a value in some condition
        centre = np.nanmedian(values, axis=0)
        medians = np.stack([np.nanmedian(values[code == r], axis=0) for r in groups])
        inside = values - medians[np.searchsorted(groups, code)]
        spread = 1.4826 * np.nanmedian(np.abs(inside), axis=0)
        spread = np.where(spread > 0, spread, np.nanstd(inside, axis=0))
    spread = np.where(spread > 0, spread, 1.0)
    new = np.empty_like(values)
    for r, median in zip(groups, medians, strict=True):
        rows = code == r
        new[rows] = _scores(values[rows]) + (median - centre) / spread
    return new


def _scores(values: np.ndarray) -> np.ndarray:
    ranks = stats.rankdata(values, axis=0, nan_policy="omit")
    present = np.isfinite(values).sum(axis=0)
    return np.asarray(special.ndtri((ranks - 0.5) / np.maximum(present, 1)))


def has_far_cells(values: np.ndarray, code: np.ndarray | None = None) -> bool:
    """Whether single values lie so far out, within conditions, that they are no accident."""
    inside = np.where(np.isfinite(values), values, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nothing is known of an empty column
        for r in (0,) if code is None else np.unique(code):
            rows = slice(None) if code is None else code == r
            inside[rows] -= np.nanmedian(inside[rows], axis=0)
        size = np.abs(inside)
        spread = 1.4826 * np.nanmedian(size, axis=0)
    return bool((size > _FAR * np.where(spread > 0, spread, np.inf)).mean() > _FAR_SHARE)


def shape_of(values: np.ndarray, code: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Skewness and excess kurtosis of each variable, about the means of conditions."""
    inside = np.where(np.isfinite(values), values, np.nan)
    size = np.fmax.reduce(np.abs(inside), axis=0, initial=0.0)
    # In units of the largest: powers of huge and tiny numbers are none.
    inside = inside / np.where(size > 0, size, 1.0)
    for r in np.unique(code) if code is not None else ():
        rows = code == r
        inside[rows] -= _means(inside[rows])
    inside -= _means(inside)
    spread = np.sqrt(_means(inside**2))
    unit = inside / np.where(spread > 0, spread, 1.0)
    return _means(unit**3), np.where(spread > 0, _means(unit**4) - 3.0, 0.0)


def _means(values: np.ndarray) -> np.ndarray:
    """Means of the columns over what is there; zero where nothing is."""
    there = np.isfinite(values).sum(axis=0)
    return np.asarray(np.nansum(values, axis=0) / np.maximum(there, 1))


def looks_transformed(values: np.ndarray, code: np.ndarray | None = None) -> bool:
    """Whether most variables are skewed, or have heavy tails, beyond what chance would do."""
    n = len(values)
    skewness, kurtosis = shape_of(values, code)
    heavy = np.median(np.abs(kurtosis)) > max(1.0, 3.0 * np.sqrt(24.0 / n))
    return bool(heavy or np.median(np.abs(skewness)) > max(0.5, 3.0 * np.sqrt(6.0 / n)))
