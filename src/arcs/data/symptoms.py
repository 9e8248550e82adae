"""What real data show before anything is learned, and the option that deals with it.

Each sign is looked for with a threshold that clean Gaussian rows practically never reach: together
they speak up in fewer than 2 of 100 clean data sets (``benchmarks/real_data.py audit``).
"""

from __future__ import annotations

import shlex
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcs.data.checks import describe_columns
from arcs.data.covariates import Term, learn_coding
from arcs.data.dataset import Dataset
from arcs.data.interventions import CONTROL_LABELS
from arcs.data.profile import counts_rows
from arcs.data.survey import covariate_term
from arcs.data.transforms import looks_transformed, shape_of
from arcs.errors import DataError
from arcs.few_rows import rows_needed
from arcs.lazily import Lazily

__all__ = [
    "Symptom",
    "dense_sentence",
    "effective_rows",
    "explained_by",
    "factor_sentence",
    "symptoms",
]

special = Lazily("scipy.special")

#: Excluded columns explain a large share if their adjusted R^2 is this on average ...
_LARGE_SHARE = 0.03
#: ... and significant in this share of the variables.
_SIGNIFICANT = 0.2
#: Numbers that are names of batches explain so much more as names; there are so few of them.
_MORE, _FEW_NAMES = 0.02, 24
#: Robust standard deviations beyond which a value lies far out.
_FAR = 10.0
#: A share of equal values in a column of many values that is no accident.
_PILE = 0.1
_FEWEST = 20
#: Nats that speak for a hidden factor; clean Gaussian rows were seen to give 8 at most.
_CONVINCING = 20.0


@dataclass(frozen=True)
class Symptom:
    """Something to know about the data.

    Attributes
    ----------
    text : str
        What was seen, and what to type.
    weight : float
        How much it matters: lines are sorted by it.
    """

    text: str
    weight: float


def symptoms(data: Dataset) -> tuple[Symptom, ...]:
    """All signs, the most important first; rows in memory are needed for most of them."""
    if data.values is None or data.n < _FEWEST:
        return tuple(_too_few_rows(data))
    with warnings.catch_warnings():
        # Columns without a value, or without spread, have no figures: nothing is said of them.
        warnings.simplefilter("ignore", RuntimeWarning)
        found = [
            *_too_few_rows(data),
            *_columns_left_out(data),
            *_covariates_among_variables(data),
            *_labels_without_conditions(data),
            *_shapes(data),
            *_piles(data),
            *_disagreement(data),
            *_identifiers(data),
        ]
    return tuple(sorted(found, key=lambda symptom: -symptom.weight))


def _observed(data: Dataset) -> np.ndarray:
    """The values that nobody set; others are missing."""
    rows = np.asarray(data.values)
    values = np.where(np.isfinite(rows), rows, np.nan)
    if data.interventions is not None and data.interventions.labels is None:
        values[data.interventions.mask] = np.nan
    return values


# ---------------------------------------------------------------------- shares of variance
def explained_by(data: Dataset, entries: Sequence[Any]) -> tuple[np.ndarray, np.ndarray] | None:
    """Adjusted R^2 of each variable on a column, and the p-values; None if it cannot be coded."""
    try:
        coding = learn_coding([Term("column")], {"column": list(entries)})
    except DataError:
        return None
    coded = coding.encode({"column": list(entries)})
    n, k = coded.shape
    if n != data.n or k + 2 > n // 5:
        return None
    values = _observed(data)
    means = np.nanmean(values, axis=0)
    values = np.where(np.isnan(values), means, values) - means
    basis = np.linalg.qr(coded - coded.mean(axis=0))[0]
    total = np.maximum((values**2).sum(axis=0), np.finfo(float).tiny)
    share = ((basis.T @ values) ** 2).sum(axis=0) / total
    degrees = n - k - 1
    ratio = share / k / np.maximum(1.0 - share, 1e-12) * degrees
    return 1.0 - (1.0 - share) * (n - 1) / degrees, special.fdtrc(k, degrees, ratio)


def _matters(shares: np.ndarray, p_values: np.ndarray) -> bool:
    significant = float((p_values < 1e-3 / len(p_values)).mean())
    return bool(shares.mean() > _LARGE_SHARE and significant >= _SIGNIFICANT)


def _too_few_rows(data: Dataset) -> Iterator[Symptom]:
    needed = int(np.ceil(rows_needed(data.p)))
    taken = 0 if data.covariates is None else len(data.covariates.columns)
    if data.n - taken < needed:
        columns = f" and {taken} columns to adjust for" if taken else ""
        yield Symptom(
            f"{data.n} rows are too few for {data.p} variables{columns}: chance looks like edges, "
            f"and of true ones only the strongest are told from it. Measure at least "
            f"{needed + taken} rows, or name fewer variables",
            np.inf,
        )


def _columns_left_out(data: Dataset) -> Iterator[Symptom]:
    for name, entries in data.set_aside.items():
        found, term = _as_numbers_or_names(data, name, entries)
        if found is not None and _matters(*found):
            share = float(np.median(found[0]))
            option = _target_option(name, entries, data)
            if option is not None:
                yield Symptom(
                    f"{name!r}, which was left out, names variables and explains "
                    f"{100 * share:.0f} % of a variable's variance in the median: it tells what "
                    f"was intervened upon, {option}",
                    1.0 + share,
                )
                continue
            yield Symptom(
                f"{name!r}, which was left out, explains {100 * share:.0f} % of a variable's "
                f"variance in the median (at most {100 * found[0].max():.0f} %): --adjust "
                f"{shlex.quote(term)} (adjust=[{term!r}]) takes that off",
                1.0 + share,
            )


def _as_numbers_or_names(
    data: Dataset, name: str, entries: Sequence[Any]
) -> tuple[tuple[np.ndarray, np.ndarray] | None, str]:
    """What a column explains, and the term that does: few numbers may be names of batches."""
    found, texts = explained_by(data, entries), [str(entry) for entry in entries]
    if not 2 < len(set(texts)) <= _FEW_NAMES:
        return found, name
    apart = explained_by(data, [f"level {text}" for text in texts])
    if found is None or apart is None or np.median(apart[0] - found[0]) < _MORE:
        return found, name
    return apart, f"C({name})"


def _target_option(name: str, entries: Sequence[Any], data: Dataset) -> str | None:
    """What to type for a column of targets, perhaps with a suffix such as "_KO"; else None."""
    pieces = {part.strip() for entry in entries for part in str(entry).split(",")}
    targets = [text for text in pieces if text.casefold() not in CONTROL_LABELS]
    known = sorted((variable.casefold() for variable in data.names), key=len, reverse=True)
    suffixes = Counter[str]()
    for text in targets:
        begin = next((word for word in known if text.casefold().startswith(word)), None)
        if begin is not None:
            suffixes[text[len(begin) :]] += 1
    if data.interventions is not None or not suffixes:
        return None
    suffix, count = max(suffixes.items(), key=lambda item: (item[1], item[0]))
    if 2 * count < len(targets) or suffix[:1].isalnum():
        return None
    more = f" --target-suffix {suffix}" if suffix else ""
    return f"-i {name}{more} (interventions={name!r})"


def _covariates_among_variables(data: Dataset) -> Iterator[Symptom]:
    """Columns called age or batch that explain much of the others: hardly nodes of the network."""
    values = np.asarray(data.values)
    for j, name in enumerate(data.names):
        term = covariate_term(name)
        if term is None or not np.isfinite(values[:, j]).all():
            continue
        found = explained_by(
            data, [str(value) if term != name else value for value in values[:, j]]
        )
        if found is None:
            continue
        shares, p_values = (np.delete(part, j) for part in found)
        if shares.size and _matters(shares, p_values):
            share, typed = float(np.median(shares)), shlex.quote(term)
            yield Symptom(
                f"{covariate_remark(name)} is among the variables and explains "
                f"{100 * share:.0f} % of another's variance in the median: --adjust {typed} "
                f"(adjust=[{term!r}]) takes that off; if it is a node of the network, say that "
                f"nothing causes it (roots = [{name!r}] in the file of --knowledge)",
                1.0 + share,
            )


def covariate_remark(name: str) -> str:
    """How the remark about a covariate among the variables begins.

    Whoever says in background knowledge what the column is has answered it already.
    """
    return f"{name!r}, a covariate by its name,"


def _labels_without_conditions(data: Dataset) -> Iterator[Symptom]:
    design = data.interventions
    if design is None or data.conditions is not None:
        return
    found = explained_by(data, [f"regime {r}" for r in design.regime.tolist()])
    if found is not None and _matters(*found):
        yield Symptom(
            f"means differ between the labels of interventions ({100 * np.median(found[0]):.0f} % "
            "of the variance in the median): leave out --conditions none, so that they may",
            1.0 + float(np.median(found[0])),
        )


# ---------------------------------------------------------------------- shapes
def _shapes(data: Dataset) -> Iterator[Symptom]:
    values = _observed(data)
    code = None if data.conditions is None else data.conditions.code
    if data.transform is not None:
        return
    if looks_transformed(values, code):
        skewness, kurtosis = (float(np.median(np.abs(part))) for part in shape_of(values, code))
        positive = bool(np.nanmin(values) > 0)
        logs = positive and not looks_transformed(np.log(values), code)
        option = "--transform log" if logs else "--transform auto"
        yield Symptom(
            f"most variables are skewed or have heavy tails (median skewness {skewness:.1f}, "
            f"excess kurtosis {kurtosis:.1f}): {option} "
            f"(transform={option.split()[-1]!r})",
            0.9,
        )
        return
    yield from _far_out(data, values)


def _far_out(data: Dataset, values: np.ndarray) -> Iterator[Symptom]:
    centre = np.nanmedian(values, axis=0)
    spread = 1.4826 * np.nanmedian(np.abs(values - centre), axis=0)
    spread = np.where(spread > 0, spread, np.inf)
    far = np.nan_to_num(np.abs(values - centre) / spread) > _FAR
    rows = np.flatnonzero(far.any(axis=1))
    if rows.size and rows.size < 0.05 * data.n:
        first = int(rows[0])
        name = data.names[int(np.argmax(far[first]))]
        hold = "1 row holds" if rows.size == 1 else f"{rows.size} rows hold"
        told, count = Counter(values[far].tolist()).most_common(1)[0]
        code = f"; {told:.6g}, {count} times, may be a code for a missing value: leave it blank"
        yield Symptom(
            f"{hold} values more than {_FAR:.0f} robust standard deviations out (the first: row "
            f"{first}, {name!r}): check them{code if count > 2 else ''}; --transform "
            "normal-scores makes them harmless",
            0.8,
        )


def _piles(data: Dataset) -> Iterator[Symptom]:
    """Columns of many values, set by nobody, of which one is far more frequent than any other."""
    piled, shares = [], []
    values = _observed(data)
    for j in range(data.p):
        column = values[:, j]
        levels, counts = np.unique(column[np.isfinite(column)], return_counts=True)
        if len(levels) > 10 and counts.max() > max(_PILE * data.n, 5 * np.sort(counts)[-2]):
            piled.append(f"{data.names[j]} = {levels[np.argmax(counts)]:.4g}")
            shares.append(counts.max() / data.n)
    if piled:
        yield Symptom(
            f"one value fills many rows, up to {100 * max(shares):.0f} % of a column "
            f"({describe_columns(piled, most=3)}): zeros or limits of detection, which no "
            "transform repairs. If they stand for cells that were not seen, leave these blank "
            "(--missing em); otherwise leave such columns out (--exclude) or trust their edges "
            "less",
            0.6,
        )


# ---------------------------------------------------------------------- conditions
def effective_rows(data: Dataset) -> tuple[float, int] | None:
    """The rows' worth if conditions disagree about correlations, and the conditions compared.

    n min(1, mean 1 / (n_r - 3) / mean variance of Fisher's z between conditions), over conditions
    in which nothing was set; None if there are fewer than two.
    """
    conditions, design = data.conditions, data.interventions
    if conditions is None or conditions.code is None or data.p < 2:
        return None
    untouched = np.ones(data.n, dtype=bool)
    if design is not None:
        touched = np.asarray(design.regime_mask.any(axis=1))
        untouched = ~touched[design.regime]
    groups = []
    for r in range(len(conditions.labels)):
        rows = np.asarray(data.values)[(conditions.code == r) & untouched]
        rows = rows[np.isfinite(rows).all(axis=1)]
        if len(rows) >= 10 and bool((rows.std(axis=0) > 0).all()):
            groups.append(rows)
    if len(groups) < 2:
        return None
    upper = np.triu_indices(data.p, 1)
    z = np.stack([np.arctanh(np.clip(np.corrcoef(g.T)[upper], -0.999, 0.999)) for g in groups])
    naive = float(np.mean([1.0 / (len(g) - 3) for g in groups]))
    between = max(float(z.var(axis=0, ddof=1).mean()), np.finfo(float).tiny)
    return data.n * min(1.0, naive / between), len(groups)


def _disagreement(data: Dataset) -> Iterator[Symptom]:
    found = effective_rows(data)
    if found is None:
        return
    worth, groups = found
    limit = max(2.0, 1.0 + 6.0 * np.sqrt(2.0 / ((groups - 1) * data.p)))
    if data.n / worth > limit:
        yield Symptom(
            f"{groups} conditions disagree about correlations: {data.n:,} rows are worth about "
            f"{worth:,.0f}, so that weak edges mean little; --set min_r2=0.01 keeps strong ones",
            0.7,
        )


def _identifiers(data: Dataset) -> Iterator[Symptom]:
    counting = [data.names[j] for j in np.flatnonzero(counts_rows(data))]
    if counting:
        yield Symptom(
            f"{describe_columns(counting)} counts the rows: leave it out with --exclude "
            f"{counting[0]} (exclude=[{counting[0]!r}])",
            2.0,
        )


def factor_sentence(evidence: float) -> str | None:
    """What to say if one hidden factor would shorten the description of data and graph."""
    if not evidence > _CONVINCING:
        return None
    return (
        f"one hidden factor would explain the data better (log-evidence {evidence:,.0f}): "
        "--latent auto (latent='auto') looks for factors"
    )


def dense_sentence(edges: int, p: int, facts: Mapping[str, Any]) -> str | None:
    """What to say of a graph that is denser than data usually support; None if it is not."""
    if p < 8 or edges <= 2.75 * p:
        return None
    tried = {
        "--adjust COLUMN or --conditions COLUMN, if rows come from batches, days or patients": (
            not facts.get("adjusted")
        ),
        "--latent auto, if something unmeasured acts on most variables": not facts.get("latent"),
        "--transform auto, if scales are skewed or some rows lie far out": (
            not facts.get("transformed")
        ),
        "--set min_r2=0.01, if there are so many rows that tiny effects count": True,
    }
    options = [option for option, open_ in tried.items() if open_][:3]
    return (
        f"{edges} edges among {p} variables ({edges / p:.1f} per variable) are more than most "
        f"systems have; often the model is at fault. Try first: {'; '.join(options)}."
    )
