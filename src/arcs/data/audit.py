"""A look at the data before anything is learned from them.

Every fit begins with it, so it must cost little: O(n p) for the look at the columns, one Gram
matrix that the fit needs anyway, and one pivoted Cholesky factorisation of it. Columns count as
collinear by the same measure as in the kernels: less than 1e-9 of the variation is left.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from arcs.data.checks import describe_columns
from arcs.data.counting import FEWEST_ROWS
from arcs.data.dataset import Dataset
from arcs.data.gram import GramStatistics
from arcs.data.policies import KEEP
from arcs.data.profile import ColumnProfile, counts_rows
from arcs.data.strips import strips
from arcs.errors import DataError, warn_caller
from arcs.lazily import Lazily

__all__ = ["Audit", "audit", "audit_dataset", "collinear_sets"]

linalg, regression = Lazily("scipy.linalg"), Lazily("arcs.kernels.regression")


#: A fit says no more than so many lines about the data.
MOST_LINES = 5


@dataclass(frozen=True)
class Audit:
    """What was noticed about a data set.

    Attributes
    ----------
    n, p : int
        Rows that are used, and variables.
    effective_n : int
        The smallest number of rows that counts for a node from which something can be learned.
    fewer_rows_than_columns : bool
    smallest_scale, largest_scale : float or None
        Range of the standard deviations of the columns that vary.
    constant : tuple of str
        Columns that do not vary.
    fixed : tuple of str
        Columns that vary only in the rows in which they are set.
    duplicates : tuple of tuple of str
        Sets of columns that are copies of each other, up to scale and offset.
    collinear : tuple of tuple of str
        Sets of columns of which one is an exact combination of the others.
    discrete : tuple of str
        Columns that look discrete.
    missing : mapping of str to int
        Missing or infinite values per column.
    rows_dropped : int
        Rows left out because of missing values.
    intervened : mapping of str to int
        Rows in which each intervened variable was set.
    never_observed : tuple of str
        Variables that were set in (almost) every row: their parents cannot be learned.
    unmeasured : mapping of str to int
        Intervention targets that are not among the variables and were ignored.
    problems : tuple of str
        Why a fit would refuse these data.
    advice : tuple of str
        What the rows show, and the option that deals with it; the most important first.
    warnings : tuple of str
        What deserves a look before the result is believed.
    design_warnings : tuple of str
        The same about the interventions.
    notes : tuple of str
        Further remarks.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> drawn.data.audit().rows_dropped
    0
    """

    n: int
    p: int
    effective_n: int
    fewer_rows_than_columns: bool
    smallest_scale: float | None = None
    largest_scale: float | None = None
    constant: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    collinear: tuple[tuple[str, ...], ...] = ()
    discrete: tuple[str, ...] = ()
    missing: Mapping[str, int] = field(default_factory=dict)
    rows_dropped: int = 0
    intervened: Mapping[str, int] = field(default_factory=dict)
    never_observed: tuple[str, ...] = ()
    unmeasured: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    design_warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what was not found is left out."""
        return {
            key: _plain(value)
            for key, value in asdict(self).items()
            if value not in ((), {}, None) and not (key == "rows_dropped" and value == 0)
        }

    def warn(self, *, interventions: bool = True, known: Iterable[str] = ()) -> None:
        """Give the warnings, then the advice, as :class:`~arcs.errors.DataWarning`: five at most.

        A method that makes no use of `interventions` is spared those about the design; `known`
        are variables of which background knowledge says what they are.
        """
        texts = self.warnings + (self.design_warnings if interventions else ())
        from arcs.data.symptoms import covariate_remark  # with SciPy, which commands start without

        answered = tuple(covariate_remark(name) for name in known)
        texts += tuple(line for line in self.advice if not line.startswith(answered))
        if len(texts) > MOST_LINES:
            more = len(texts) - MOST_LINES + 1
            texts = (*texts[: MOST_LINES - 1], f"{more} more remarks: arcs audit prints them all")
        for text in texts:
            warn_caller(text)

    def __str__(self) -> str:
        lines = [f"{self.n} rows, {self.p} columns"]
        if self.effective_n != self.n:
            lines[0] += f" (effective number of rows {self.effective_n})"
        if self.smallest_scale is not None:
            low, high = self.smallest_scale, self.largest_scale
            lines.append(f"standard deviations from {low:.3g} to {high:.3g}")
        if self.intervened:
            names, counts = list(self.intervened), list(self.intervened.values())
            lines.append(f"intervened: {describe_columns(names, counts)}")
        lines += [f"problem: {text}" for text in self.problems]
        lines += [f"warning: {text}" for text in self.warnings + self.design_warnings]
        lines += [f"advice: {text}" for text in self.advice]
        lines += [f"note: {text}" for text in self.notes]
        return "\n".join(lines)


def audit(data: Any, **options: Any) -> Audit:
    """Look at data before learning from them.

    Parameters
    ----------
    data : object
        Anything that :meth:`Dataset.of` takes; `options` are passed on to it.

    Returns
    -------
    Audit
        Also for data that a fit would refuse: then ``problems`` says why.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(20, 2))
    >>> print(audit(np.column_stack([rows, rows[:, 0]])).duplicates)
    (('x0', 'x2'),)
    """
    if not isinstance(data, Dataset):
        options.setdefault("missing", KEEP)
    return Dataset.of(data, **options).audit()


def audit_dataset(data: Dataset) -> Audit:
    """The audit of a data set; use :meth:`Dataset.audit`, which remembers it."""
    facts = {**_size(data), **_columns(data), **_dependence(data)}
    problems = _problems(data)
    from arcs.data.symptoms import symptoms

    return Audit(
        **facts,
        problems=problems,
        warnings=_warnings(facts, data.p),
        design_warnings=_design_warnings(facts),
        notes=_notes(data, facts),
        advice=tuple(symptom.text for symptom in symptoms(data)),
    )


def _named(data: Dataset, positions: Sequence[int] | np.ndarray) -> tuple[str, ...]:
    return tuple(data.names[j] for j in positions)


def _size(data: Dataset) -> dict[str, Any]:
    n, effective = data.n, data.n
    if not data.has_rows:
        effective = int(data.statistics().n.max())
    elif data.incomplete and data.missing != KEEP:
        effective = data.repaired().n
    elif data.interventions is not None:
        rows = data.counted().rows
        effective = int(min((r for r in rows if r >= FEWEST_ROWS), default=0))
    return {
        "n": n,
        "p": data.p,
        "effective_n": effective,
        "fewer_rows_than_columns": effective < data.p,
    }


def _columns(data: Dataset) -> dict[str, Any]:
    """What the columns look like one by one."""
    facts: dict[str, Any] = {"unmeasured": dict(data.unmeasured)}
    if data.profile is None and data.values is not None:
        data.profile = ColumnProfile.of(data.values)
    if data.profile is not None:
        found, counts = data.profile, data.profile.missing
        facts["discrete"] = _named(data, np.flatnonzero(found.discrete() & ~counts_rows(data)))
        facts["missing"] = {data.names[j]: int(counts[j]) for j in np.flatnonzero(counts)}
        facts["rows_dropped"] = found.rows - data.n
    if data.has_rows:
        counted = data.counted()
        facts["constant"] = _named(data, counted.constant)
        facts["fixed"] = _named(data, counted.fixed)
        facts["never_observed"] = _named(data, counted.unseen)
    if data.interventions is not None:
        rows = data.interventions.rows_intervened
        facts["intervened"] = {data.names[j]: int(rows[j]) for j in np.flatnonzero(rows)}
    return facts


def _dependence(data: Dataset) -> dict[str, Any]:
    """Scales, duplicates and collinear sets, from the Gram matrix of all (complete) rows."""
    if data.has_rows:
        sums = data.variable_sums()
        if sums.n < FEWEST_ROWS:
            return {}
        statistics = _of_all_rows(data)
        varying = np.setdiff1d(np.arange(data.p), data.counted().constant)
        rows = sums.n
    else:
        statistics, varying = data.statistics(), np.arange(data.p)
        rows = int(statistics.n.max())
    if not varying.size:
        return {}
    scales = statistics.norms[0][varying] / np.sqrt(rows)
    gram = statistics.kernel.grams[0]
    if varying.size < data.p:
        gram = gram[np.ix_(varying, varying)]
    duplicates, combined = collinear_sets(gram, rows - 1)
    return {
        "smallest_scale": float(scales.min()),
        "largest_scale": float(scales.max()),
        "duplicates": tuple(_named(data, varying[group]) for group in duplicates),
        "collinear": tuple(_named(data, varying[group]) for group in combined),
    }


def _of_all_rows(data: Dataset) -> GramStatistics:
    """Statistics of all complete rows alike: those of the fit, if it counts them all."""
    if data.interventions is None and not data.adjusted and not data.incomplete:
        with contextlib.suppress(DataError):  # constant columns may be refused there
            return data.statistics()
    sums = data.variable_sums()
    everything = np.ones((data.p, len(sums.regimes)))
    return GramStatistics.from_accumulator(sums, data.names, weights=everything, center=data.center)


def collinear_sets(gram: np.ndarray, rank: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Sets of duplicates, and sets of which one column is a combination of the others.

    Parameters
    ----------
    gram : ndarray of shape (p, p)
        Gram matrix with unit diagonal.
    rank : int
        The largest rank it can have. With fewer than p, combinations are a matter of course and
        only duplicates are looked for.
    """
    first = np.empty(len(gram), dtype=np.int64)
    for part in strips(len(gram)):
        first[part] = np.argmax(1.0 - gram[part] ** 2 <= regression.COLLINEAR, axis=1)
    kept = np.flatnonzero(first == np.arange(len(gram)))
    groups = [np.flatnonzero(first == j) for j in kept]
    duplicates = [group for group in groups if group.size > 1]
    if rank < kept.size:
        return duplicates, []
    return duplicates, [kept[group] for group in _combinations(gram[np.ix_(kept, kept)])]


def _combinations(gram: np.ndarray) -> list[np.ndarray]:
    """For each column beyond the rank: itself and the columns that make it up."""
    factor, pivots, rank, _ = linalg.lapack.dpstrf(gram, tol=regression.COLLINEAR, lower=1)
    if rank == len(gram):
        return []
    pivots = pivots - 1
    share = linalg.solve_triangular(
        factor[:rank, :rank], factor[rank:, :rank].T, lower=True, trans="T"
    )
    found = []
    for column, coefficients in zip(pivots[rank:], share.T, strict=True):
        used = np.abs(coefficients) > 1e-4 * np.abs(coefficients).max()
        found.append(np.sort(np.append(pivots[:rank][used], column)))
    return sorted(found, key=lambda group: group.tolist())


def _problems(data: Dataset) -> tuple[str, ...]:
    try:
        data.statistics()
    except DataError as error:
        return (str(error),)
    return ()


def _warnings(facts: Mapping[str, Any], p: int) -> tuple[str, ...]:
    texts = []
    if facts.get("duplicates"):
        texts.append(
            f"{_sets(facts['duplicates'])} copies of each other, up to scale and offset: which "
            "of them an edge belongs to is arbitrary; leave all but one out"
        )
    if facts.get("collinear"):
        texts.append(
            f"{_sets(facts['collinear'])} exactly collinear (one is a combination of the others): "
            "edges among them are arbitrary; leave one of each out"
        )
    discrete = facts.get("discrete", ())
    if discrete:
        texts.append(
            f"looks discrete: {describe_columns(discrete)} ({len(discrete)} of {p} columns): whole "
            "numbers or few distinct values, modelled as Gaussian. Categories are named by "
            f"--discrete {discrete[0]} (discrete=[{discrete[0]!r}]); what is no measurement, "
            f"adjust for (--adjust {discrete[0]}; 'C({discrete[0]})' if its numbers are names), "
            "make a root (--knowledge) or leave out (--exclude)"
        )
    return tuple(texts)


def _design_warnings(facts: Mapping[str, Any]) -> tuple[str, ...]:
    unseen = facts.get("never_observed", ())
    if not unseen:
        return ()
    return (
        f"{describe_columns(unseen)} was intervened upon in (almost) every row: its parents "
        "cannot be learned, and no edge into it will be found",
    )


def _sets(groups: Sequence[Sequence[str]]) -> str:
    shown = "; ".join("{" + describe_columns(group) + "}" for group in groups[:5])
    more = f" and {len(groups) - 5} more sets" if len(groups) > 5 else ""
    return f"{shown}{more} are"


def _notes(data: Dataset, facts: Mapping[str, Any]) -> tuple[str, ...]:
    texts = []
    if facts["fewer_rows_than_columns"]:
        texts.append(
            f"fewer rows ({facts['effective_n']}) than columns ({data.p}): only sparse structure "
            "can be learned"
        )
    if facts.get("rows_dropped"):
        texts.append(
            f"{facts['rows_dropped']} of {facts['rows_dropped'] + data.n} rows with missing values "
            "were dropped"
        )
    if data.incomplete and data.missing != KEEP:
        texts.append(_repair_note(data))
    if data.constant == "isolate":
        for key, what in (("constant", "isolated"), ("fixed", "without parents")):
            if facts.get(key):
                texts.append(f"does not vary, kept {what}: {describe_columns(facts[key])}")
    unmeasured = facts["unmeasured"]
    if unmeasured:
        listed = describe_columns(list(unmeasured), list(unmeasured.values()))
        texts.append(f"intervention targets that were not measured were ignored (rows): {listed}")
    return tuple(texts)


def _repair_note(data: Dataset) -> str:
    found = data.repaired()
    if data.missing == "em":
        return f"covariance by EM ({found.iterations} iterations); effective n {found.n}"
    text = f"covariance from rows that two columns share; effective n {found.n}"
    if found.repaired:
        text += f"; repaired, its smallest eigenvalue was {found.smallest_eigenvalue:.2g}"
    return text


def _plain(value: Any) -> Any:
    """Tuples as lists, all the way down."""
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    return value
