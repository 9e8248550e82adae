import numpy as np
import pytest

from arcs.effects import class_effects, effect_table, implied_precision, is_amenable
from arcs.graphs import Pdag, fit_to_covariance, ida, interventional_cpdag_of, members


def _classes(dag, seed):
    rng = np.random.default_rng(seed)
    return [dag.cpdag(), interventional_cpdag_of(dag.adjacency, [[], [int(rng.integers(dag.p))]])]


@pytest.mark.parametrize("seed", range(5))
def test_effects_and_counts_over_all_members(seed, random_dag_model):
    dag = random_dag_model(seed, 6, 7)
    precision = implied_precision(dag, 100)
    for pdag in _classes(dag, seed):
        listed = [fit_to_covariance(member, dag.covariance()) for member in members(pdag)]
        tables = [effect_table(member, implied_precision(member, 100)) for member in listed]
        for x, y in [(0, 1), (3, 2), (5, 4)]:
            found = class_effects(dag, pdag, precision, (x, y))
            assert found.size == len(listed)
            np.testing.assert_allclose(
                np.unique(np.round(found.values, 9)),
                np.unique(np.round(ida(pdag, dag.covariance(), x, y), 9)),
                atol=1e-8,
            )
            for value, error, count in zip(
                found.values, found.standard_errors, found.counts, strict=True
            ):
                alike = [t for t in tables if abs(t.effects[x, y] - value) < 1e-8]
                assert len(alike) == count
                # The variance belongs to the parents of the source, not to the member.
                for table in alike:
                    assert table.standard_errors[x, y] == pytest.approx(error, rel=0.05, abs=1e-9)


def test_the_graph_itself_keeps_its_own_standard_error(random_dag_model, refitted):
    fitted = refitted(random_dag_model(4, 6, 8), 70, 4)
    dag = fitted.dag
    pdag = Pdag(dag.adjacency, np.zeros((6, 6), dtype=bool), dag.names)
    table = effect_table(dag, fitted.precision)
    x, y = dag.edges()[0]
    found = class_effects(dag, pdag, fitted.precision, (x, y))
    assert found.identified
    assert found.values[0] == pytest.approx(table.effects[x, y])
    assert found.standard_errors[0] == pytest.approx(table.standard_errors[x, y])


@pytest.mark.parametrize("seed", range(6))
def test_amenable_classes_have_one_effect(seed, random_dag_model):
    dag = random_dag_model(seed, 6, 7)
    for pdag in _classes(dag, seed):
        for x, y in [(0, 1), (1, 4), (2, 3), (3, 5), (5, 0), (4, 2)]:
            values = np.unique(np.round(ida(pdag, dag.covariance(), x, y), 9))
            assert is_amenable(pdag, x, y) == (len(values) == 1)
