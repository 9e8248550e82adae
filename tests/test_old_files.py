"""Files that version 0.1.0 wrote are read for ever: ``tests/reference/v1`` is never made anew.

Checkpoints are bound to data and settings by a key, which follows from sums whose last bits depend
on the machine and from settings that may be added later. So that the test speaks of the files and
not of the key, each archived one gets the key of the same work done today; nothing else in it is
touched.
"""

import json
import signal
from pathlib import Path

import numpy as np
import pytest

from arcs.confidence import bootstrap
from arcs.data import Dataset
from arcs.knowledge import read_knowledge
from arcs.learners import learner
from arcs.results import FitResult

V1 = Path(__file__).parent / "reference" / "v1"
EXPECTED = json.loads((V1 / "expected.json").read_text(encoding="utf-8"))
CHANGES = [('heat, "in" K', 'heat, "in" K'), ("=sum(A1)", "=sum(A1)")]
NAMES = ("age", "dose", 'heat, "in" K', "<b>gain</b>", "größe", "=sum(A1)", "yield", "z")


@pytest.fixture(scope="module")
def data():
    return Dataset.from_file(V1 / "data.csv", interventions="target")


def with_todays_key(archived, todays, folder):
    """A copy of an archived file of the first format with the key of a file of today."""
    with np.load(todays) as content:
        header = json.loads(str(content["header"]))
    path = folder / archived.name
    with np.load(archived) as content:
        arrays = {name: content[name] for name in content.files}
    assert set(arrays) >= {"magic", "key"}
    arrays["key"] = np.array(header["key"])
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_results(suffix):
    result = FitResult.load(V1 / f"result.{suffix}")
    assert result.names == NAMES
    assert (result.method, result.n_edges, result.n_rows) == ("arcs", 15, 90)
    assert result.targets == ((), (2,), (5,))
    assert result.settings["n_iter"] == 600
    assert result.settings["knowledge"]["roots"] == ["age"]
    assert result.score == -1569.5558299396632
    assert set(result.edge_values) == {"p_value", "confidence", "direction_confidence"}
    assert len(result.tuning["bic"]) == 80
    assert result.dag.coefficients[0, 1] == 0.058257664645655134
    assert result.versions["arcs-bn"] == "0.1.0"
    assert result.n_per_node == tuple(90 - 15 * (k in (2, 5)) for k in range(8))
    assert not result.changes_sought


def test_both_forms_of_a_result_hold_the_same():
    one, other = (FitResult.load(V1 / f"result.{suffix}") for suffix in ("json", "npz"))
    np.testing.assert_array_equal(one.dag.coefficients, other.dag.coefficients)
    np.testing.assert_array_equal(one.order.nodes, other.order.nodes)
    for name, column in one.trace.items():
        np.testing.assert_array_equal(column, other.trace[name])
    for name, matrix in one.edge_values.items():
        np.testing.assert_array_equal(matrix, other.edge_values[name])
    assert one.audit == other.audit


def test_results_with_changes():
    result = FitResult.load(V1 / "changes.json")
    assert [(change.regime, change.target) for change in result.changes] == CHANGES
    assert result.changes_sought
    changed = {change.target for change in result.changes if change.kind != "noise"}
    for name, n in zip(result.names, result.n_per_node, strict=True):
        assert (n < result.n_rows) == (name in changed)


@pytest.mark.filterwarnings("ignore:'age', a covariate by its name")
def test_a_checkpoint_goes_on_to_the_same_end(data, tmp_path):
    settings = EXPECTED["settings"]
    todays = tmp_path / "today.npz"
    stops = iter([signal.SIGINT])
    model = learner("arcs", checkpoint=todays, **settings)
    model.fit(data, listener=lambda event: [signal.raise_signal(stop) for stop in stops])
    path = with_todays_key(V1 / "checkpoint.npz", todays, tmp_path)
    seen = []
    model = learner("arcs", checkpoint=path, resume=True, **settings)
    result = model.fit(data, listener=seen.append)
    # The first events may tell of kernels that are being compiled.
    assert next(event for event in seen if "compil" not in event.stage).iteration > 0
    np.testing.assert_array_equal(result.dag.adjacency, EXPECTED["adjacency"])
    np.testing.assert_array_equal(result.order.nodes, EXPECTED["order"])
    assert result.score == pytest.approx(EXPECTED["score"], rel=1e-12)


def test_replicates_are_not_run_again(data, tmp_path):
    how = EXPECTED["replicates"]
    work = {"n_resamples": 1, "random_state": how["random_state"]}
    bootstrap(data, how["learner"], **work, checkpoint=tmp_path / "today.npz")
    path = with_todays_key(V1 / "replicates.npz", tmp_path / "today.npz", tmp_path)
    seen = []
    work["n_resamples"] = how["n_resamples"]
    again = bootstrap(
        data, how["learner"], **work, checkpoint=path, resume=True, listener=seen.append
    )
    assert seen == []
    np.testing.assert_array_equal(again.confidence, how["confidence"])


@pytest.mark.parametrize(("suffix", "said"), [("toml", "all"), ("csv", "all"), ("txt", "tetrad")])
def test_knowledge(suffix, said):
    expected = json.loads((V1 / "knowledge.json").read_text(encoding="utf-8"))[said]
    assert read_knowledge(V1 / f"knowledge.{suffix}").to_dict() == expected
