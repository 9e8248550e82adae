"""The claims of the page of results, on three data sets per setting."""

from __future__ import annotations

import pytest

from arcs.experiments.methods import methods_named
from arcs.experiments.report import summarise
from arcs.experiments.studies import study
from arcs.experiments.tables import make_table
from arcs.experiments.tasks import plan, run_task

pytestmark = pytest.mark.slow


def summaries(name, labels):
    found = study(name)
    rows = [run_task(task) for task in plan(found.cases, methods_named(labels), range(1000, 1003))]
    assert all(row.ok for row in rows)
    return {line.method: line for line in summarise(make_table(found, rows))}


def test_experimental_data():
    found = summaries("table5", ["ARCS(CD)", "ARCS", "oracle l0"])
    assert found["ARCS(CD)"].ours < found["ARCS(CD)"].paper
    assert found["ARCS"].shd < 0.5 * found["ARCS(CD)"].paper
    assert found["oracle l0"].shd < found["ARCS"].shd


@pytest.mark.parametrize("name", ["table1", "table2"])
def test_observational_data(name):
    found = summaries(name, ["GES", "ARCS(GES)", "ARCS", "oracle l0"])
    assert found["ARCS(GES)"].ours < found["ARCS(GES)"].paper
    assert found["ARCS(GES)"].shd < found["GES"].shd
    assert found["ARCS"].shd < 0.25 * found["ARCS(GES)"].paper
    assert found["oracle l0"].shd < found["ARCS"].shd
