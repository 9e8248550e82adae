"""Dask data frames on real workers: the pass runs there, and survives the death of one."""

import pickle

import numpy as np
import pandas as pd
import pytest

from arcs.data import Dataset
from arcs.data.streaming import Gathering, StreamPlan

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


def frame_of(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4)) + 20
    frame = pd.DataFrame(values, columns=list("abcd"))
    return frame.assign(batch=rng.choice(["x", "y"], n), target=rng.choice(["", "a", "b,c"], n))


def deadly(marker: str):
    """Kills the process that first asks for a partition whose rows begin at 200."""

    def take(part):
        import os
        import signal
        from pathlib import Path

        if len(part) and part.index[0] == 200 and not Path(marker).exists():
            Path(marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    return take


def assert_same(one: Dataset, other: Dataset) -> None:
    first, second = one.statistics(), other.statistics()
    assert (first.names, first.targets) == (second.names, second.targets)
    assert first.n.tolist() == second.n.tolist()
    for v in range(first.p):
        np.testing.assert_allclose(first.gram(v), second.gram(v), atol=1e-12, rtol=0)
        np.testing.assert_allclose(first.mean(v), second.mean(v), rtol=1e-12)


def test_a_pass_on_workers_survives_the_death_of_one(tmp_path):
    frame, marker = frame_of(400), tmp_path / "killed"
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(silence_logs=60, **options) as cluster,
        distributed.Client(cluster),
    ):
        parts = dd.from_pandas(frame, npartitions=4)
        parts = parts.map_partitions(deadly(str(marker)), meta=frame.iloc[:0])
        read = Dataset.of(parts, interventions="target", exclude=["batch"])
    assert marker.exists()
    assert_same(read, Dataset.of(frame, interventions="target", exclude=["batch"]))


@pytest.mark.slow
def test_every_role_on_workers(tmp_path):
    frame = frame_of(40_000)
    frame["age"] = np.random.default_rng(0).normal(50, 8, len(frame))
    options = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": ":0"}
    roles = {"interventions": "target", "adjust": "age + age^2 + batch"}
    conditions = {"conditions": "batch", "condition_policy": "free", "exclude": ["target", "age"]}
    with (
        distributed.LocalCluster(silence_logs=60, **options) as cluster,
        distributed.Client(cluster),
    ):
        parts = dd.from_pandas(frame, npartitions=37)
        for reading in (roles, conditions):
            assert_same(Dataset.of(parts, **reading), Dataset.of(frame, **reading))
        deaths = parts.map_partitions(deadly(str(tmp_path / "killed")), meta=frame.iloc[:0])
        again = Dataset.of(deaths, **roles)
        once = Dataset.of(parts, **roles)
    for v in range(4):
        assert (again.statistics().gram(v) == once.statistics().gram(v)).all()


def test_what_travels_does_not_grow_with_the_rows():
    sizes = []
    for n in (1_000, 50_000):
        frame = frame_of(n)
        gathering = Gathering(StreamPlan(tuple("abcd"), ("target",), "target"))
        gathering.add(frame[list("abcd")].to_numpy(), [frame.target.tolist()])
        sizes.append(len(pickle.dumps(gathering.without_rows())))
    assert sizes[1] < 1.1 * sizes[0] < 20_000


def test_sums_stand_for_rows_where_that_is_enough():
    frame = frame_of(5_000)
    data = Dataset.of(frame, interventions="target", exclude=["batch"], conditions="none")
    sums = data.without_rows()
    assert len(pickle.dumps(sums.variable_sums())) < len(pickle.dumps(data)) / 20
    for v in range(4):
        assert (sums.statistics().gram(v) == data.statistics().gram(v)).all()
    adjusted = Dataset.of(frame, adjust=["batch"], exclude=["target"])
    assert adjusted.without_rows() is adjusted
