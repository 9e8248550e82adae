"""Thousands of small hostile frames, masks and settings.

Whatever is thrown at a fit, the answer is a DAG with finite numbers or one of the package's own
errors, within bounded time.
"""

import time
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcs.data import Dataset, audit
from arcs.errors import ArcsError, DataWarning
from arcs.learners import LEARNERS, learner

#: Settings worth varying; the rest of the learners run with their defaults.
CHOICES = {
    "arcs": [
        {"penalty": "l0"},
        {"penalty": "l0", "max_parents": 1, "n_chains": 2},
        {
            "penalty": "mcp",
            "gamma": 2.0,
            "lam": 1.0,
            "search": "anneal",
            "n_iter": 200,
            "interval": 2,
        },
        {"penalty": "l1", "lam": 0.5, "search": "anneal", "n_iter": 100, "interval": 2},
        {"search": "none", "refine": 0.01},
        {"init": "hc"},
    ],
    "cd": [{}, {"select": "bic", "n_lambdas": 5}],
    "ga": [{"generations": 20}],
    "ges": [{}, {"max_parents": 2}],
    "gies": [{}],
    "hc": [{}, {"max_parents": 1}, {"max_parents": 0}],
    "listen": [{}],
    "mmhc": [{}, {"alpha": 0.3}],
    "pc": [{}, {"alpha": 0.5}],
}
assert set(CHOICES) == {n for n, kind in LEARNERS.items() if "peers" not in kind.__module__}

_VALUES = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-9, 3.0, 1e6, -7.25])
_BAD = st.sampled_from([np.nan, np.inf, -np.inf, 1e200])


@st.composite
def tables(draw):
    """A table whose columns are noise, constants, copies, sums, few values, odd scales."""
    n, p = draw(st.integers(0, 14)), draw(st.integers(0, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    values = rng.normal(size=(n, p))
    for j in range(p):
        kind = draw(st.integers(0, 9))
        if kind == 0:
            values[:, j] = draw(_VALUES)
        elif kind == 1 and n:
            values[:, j] = draw(st.lists(_VALUES, min_size=n, max_size=n))
        elif kind == 2 and j:
            values[:, j] = values[:, draw(st.integers(0, j - 1))]
        elif kind == 3 and j > 1:
            values[:, j] = values[:, j - 1] - 2 * values[:, j - 2]
        elif kind == 4:
            values[:, j] *= 10.0 ** draw(st.integers(-12, 12))
        elif kind == 5 and j:
            values[:, j] = values[:, j - 1] + 10.0 ** draw(st.integers(-14, -4)) * values[:, j]
        elif kind == 6:
            values[:, j] += 10.0 ** draw(st.integers(0, 12))
        elif kind == 7 and j:
            values[:, j] += 2 * values[:, j - 1]
    if n and p and draw(st.integers(0, 5)) == 0:
        for _ in range(draw(st.integers(1, 6))):
            values[draw(st.integers(0, n - 1)), draw(st.integers(0, p - 1))] = draw(_BAD)
    return values


@st.composite
def designs(draw, values):
    """No design, or a mask: single rows, whole columns, at random."""
    n, p = values.shape
    kind = draw(st.integers(0, 4))
    if kind < 2 or not values.size:
        return None
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    mask = rng.random((n, p)) < draw(st.sampled_from([0.1, 0.3, 0.8]))
    if kind == 3:
        mask[:, draw(st.integers(0, p - 1))] = True
    if kind == 4:
        mask = np.repeat(np.eye(p, dtype=bool), n // p + 1, axis=0)[:n]
    return mask


@st.composite
def cases(draw):
    values = draw(tables())
    name = draw(st.sampled_from(sorted(CHOICES)))
    return {
        "values": values,
        "interventions": draw(designs(values)),
        "name": name,
        "settings": draw(st.sampled_from(CHOICES[name])),
        "policies": {
            "missing": draw(st.sampled_from(["error", "drop", "pairwise", "em"])),
            "constant": draw(st.sampled_from(["error", "drop", "drop"])),
            "center": draw(st.sampled_from([True, True, False])),
        },
    }


def assert_finite_dag(result, p):
    dag = result.dag
    assert dag.adjacency.shape == (p, p)
    position = np.argsort(result.order.nodes)
    sources, targets = np.nonzero(dag.adjacency)
    assert (position[sources] < position[targets]).all()
    assert np.array_equal(np.sort(result.order.nodes), np.arange(p))
    for array in (dag.coefficients, dag.noise_variances, dag.intercepts):
        assert np.isfinite(array).all()
    assert (dag.noise_variances > 0).all()
    assert np.isfinite([result.score, result.bic, result.log_likelihood]).all()


def check(case):
    """Fit, and say whether it was accepted."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)
        warnings.filterwarnings("ignore", message="some columns did not converge")
        try:
            data = Dataset.of(
                case["values"], interventions=case["interventions"], **case["policies"]
            )
            result = learner(case["name"], random_state=0, **case["settings"]).fit(data)
        except ArcsError:
            return False
    assert_finite_dag(result, case["values"].shape[1])
    assert time.process_time() - start < 10
    for j in result.audit.get("constant", []):
        at = result.names.index(j)
        assert not (result.dag.adjacency[at] | result.dag.adjacency[:, at]).any()
    if LEARNERS[case["name"]].uses_interventions:
        for j in result.audit.get("never_observed", []):
            assert not result.dag.adjacency[:, result.names.index(j)].any()
    return True


RELAXED = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "derandomize": True,
    "database": None,
}


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Kernels compile before anything is timed."""
    values = np.random.default_rng(0).normal(size=(20, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, choices in CHOICES.items():
            for choice in choices:
                learner(name, random_state=0, **choice).fit(values)


@settings(max_examples=800, **RELAXED)
@given(cases())
def test_a_fit_answers_with_a_dag_or_an_error(case):
    check(case)


@pytest.mark.slow
@settings(max_examples=10_000, **RELAXED)
@given(cases())
def test_a_fit_answers_with_a_dag_or_an_error_many_times(case):
    check(case)


def test_the_cases_are_not_all_refused():
    """The generator must reach the learners, not only the checks before them."""
    outcomes = []

    @settings(max_examples=100, **RELAXED)
    @given(cases())
    def collect(case):
        outcomes.append(check(case))

    collect()
    assert 0.15 < np.mean(outcomes) < 0.95


@settings(max_examples=300, **RELAXED)
@given(tables(), st.data())
def test_an_audit_never_fails_on_a_table(values, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            found = audit(values, interventions=data.draw(designs(values)))
        except ArcsError:
            assert not values.size or np.nanmax(np.abs(values)) > 1e100
            return
        accepted = True
        try:
            Dataset.of(values, interventions=None).statistics()
        except ArcsError:
            accepted = False
    assert isinstance(str(found), str)
    if not found.problems and not found.intervened:
        assert accepted


@settings(max_examples=300, **RELAXED)
@given(tables(), st.data())
def test_gram_matrices_are_correlation_matrices(values, data):
    mask = data.draw(designs(values))
    try:
        statistics = Dataset.of(
            values, interventions=mask, missing="drop", constant="isolate"
        ).statistics()
    except ArcsError:
        return
    for v in range(statistics.p):
        gram = statistics.gram(v)
        np.testing.assert_allclose(np.diag(gram), 1.0, atol=1e-8)
        assert np.abs(gram).max() < 1 + 1e-8
        assert np.linalg.eigvalsh(gram)[0] > -1e-8
    assert (statistics.norms > 0).all()
