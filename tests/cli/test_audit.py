"""``arcs audit``."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    batch = rng.integers(3, size=120)
    values = rng.normal(size=(120, 4)) + 2 * rng.normal(size=(3, 4))[batch]
    frame = pd.DataFrame(values, columns=["a", "b", "$c$", "d"])
    frame.loc[3, "a"] = np.nan
    path = tmp_path / "rows.csv"
    frame.assign(batch=[f"b{k}" for k in batch]).to_csv(path, index=False)
    return path


def test_it_prints_advice_and_draws(run, table, tmp_path):
    picture = tmp_path / "audit.png"
    outcome = run("audit", str(table), "--exclude", "batch", "--picture", str(picture))
    assert outcome.exit_code == 0, outcome.output
    assert "--adjust batch" in outcome.stdout
    assert "--missing drop, pairwise or em" in outcome.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_it_prints_json(run, table):
    outcome = run("audit", str(table), "--conditions", "batch", "--json")
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert found["missing"] == {"a": 1}
    assert "advice" not in found
