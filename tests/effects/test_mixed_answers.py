"""Networks of numbers and categories: means and probabilities under do."""

import numpy as np
import pytest
from typer.testing import CliRunner

from arcs.cli import app
from arcs.data import Dataset
from arcs.discrete_results import fitted_to
from arcs.errors import DataError, GraphError


@pytest.fixture(scope="module")
def found():
    """sex -> height -> tall, with its true structure."""
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 4000)
    height = 165 + 13 * sex + 6 * rng.normal(size=4000)
    tall = height + 3 * rng.normal(size=4000) > 172
    values = np.column_stack([sex, height, tall]).astype(float)
    levels = (("f", "m"), None, ("no", "yes"))
    data = Dataset(["sex", "height", "tall"], values=values, levels=levels)
    adjacency = np.zeros((3, 3), bool)
    adjacency[0, 1] = adjacency[1, 2] = True
    return fitted_to("by hand", adjacency, data), values


def test_nothing_set_gives_the_means_of_the_data(found):
    result, values = found
    told = {(row["variable"], row["level"]): row for row in result.prediction_table().rows()}
    assert told["height", ""]["value"] == pytest.approx(values[:, 1].mean())
    assert told["sex", "m"]["value"] == pytest.approx(values[:, 0].mean())
    assert told["tall", "yes"]["value"] == pytest.approx(values[:, 2].mean())


def test_what_is_set_reaches_its_effects_only(found):
    result, values = found
    rows = result.prediction_table(do={"height": 165}).rows()
    told = {(row["variable"], row["level"]): row for row in rows}
    assert told["height", ""]["role"] == "set"
    assert told["sex", "m"]["value"] == pytest.approx(values[:, 0].mean())
    assert 0 < told["tall", "yes"]["value"] < values[:, 2].mean()
    # Far from what was seen, lines would leave the range of probabilities.
    far = {(row["variable"], row["level"]): row for row in result.prediction_table({1: 0}).rows()}
    assert far["tall", "yes"]["value"] == 0
    assert far["tall", "no"]["value"] == 1


def test_effects_of_levels_and_of_units(found):
    result, values = found
    heights = result.effect("sex", "height")
    assert heights["do(sex)"] == ["f", "m"]
    expected = [values[values[:, 0] == k, 1].mean() for k in (0, 1)]
    assert np.array(heights["height"]) == pytest.approx(expected)
    assert result.effect("height", "sex")["do(height)"] == [0.0, 1.0]


def test_what_is_not_possible_is_said(found):
    result, _ = found
    with pytest.raises(DataError, match="seeing them"):
        result.predict(given={"sex": "f"})
    with pytest.raises(DataError, match="height is a number"):
        result.predict(do={"height": "high"})
    with pytest.raises(DataError, match="height is a number"):
        result.predict(do={"height": "nan"})
    with pytest.raises(DataError, match="levels"):
        result.predict(do={"sex": "x"})
    with pytest.raises(GraphError, match="same node"):
        result.effect("sex", "sex")
    with pytest.raises(DataError, match="seeing them"):
        result.impute([])


def test_the_command_line_sets_numbers_and_levels(found, tmp_path):
    path = str(found[0].save(tmp_path / "result.json"))
    for words in (["--do", "height=170"], ["--do", "sex=f"], []):
        told = CliRunner().invoke(app, ["predict", path, *words])
        assert told.exit_code == 0, told.output
        assert "tall" in told.stdout
    both = CliRunner().invoke(app, ["predict", path, "--do", "sex=f,m"])
    assert both.exit_code == 0, both.output
    assert "do(sex=m)" in both.stdout
    course = CliRunner().invoke(app, ["predict", path, "--do", "height=160, 180"])
    assert "do(height=180)" in course.stdout
    wrong = CliRunner().invoke(app, ["predict", path, "--do", "sex=f,x"])
    assert wrong.exit_code == 1
    assert "internal error" not in wrong.stderr


def test_several_situations_are_asked_at_once(found):
    result, _ = found
    table = result.prediction_table(do={"height": [160, 180], "sex": "f"})
    rows = table.rows()
    assert table.columns[0] == "situation"
    assert {row["situation"] for row in rows} == {
        "do(height=160), do(sex=f)",
        "do(height=180), do(sex=f)",
    }
    for height in (160, 180):
        alone = result.prediction_table(do={"height": height, "sex": "f"}).rows()
        told = f"do(height={height}), do(sex=f)"
        assert [row for row in rows if row["situation"] == told] == [
            {"situation": told, **row} for row in alone
        ]


def test_what_has_no_meaning_beside_categories_is_named(found):
    result, _ = found
    for name in ("sample", "impute", "probability", "power", "prediction", "effects"):
        with pytest.raises(DataError, match=f"^{name}: a network of numbers and categories"):
            getattr(result, name)()
    with pytest.raises(DataError, match=r"^precision: "):
        _ = result.precision


def test_nothing_is_predicted_where_causes_may_interact():
    """A dose that helps one sex only: on average it helps both, which is true of nobody."""
    rng = np.random.default_rng(1)
    sex, dose = rng.integers(0, 2, 500), rng.normal(size=500)
    values = np.column_stack([sex, dose, sex * dose + rng.normal(size=500)]).astype(float)
    data = Dataset(["sex", "dose", "effect"], values=values, levels=(("f", "m"), None, None))
    adjacency = np.zeros((3, 3), bool)
    adjacency[:2, 2] = True
    penalty = {"kind": "conditional-gaussian", "gamma": 0.0}
    found = fitted_to("by hand", adjacency, data, penalty=penalty)
    for ask in (
        lambda: found.predict(do={"sex": "f"}),
        lambda: found.effect("dose", "effect"),
    ):
        with pytest.raises(DataError, match="causes of 'effect' change what the others do"):
            ask()
    adjacency[0, 2] = False
    alone = fitted_to("by hand", adjacency, data, penalty=penalty)
    slope = np.diff(alone.effect("dose", "effect")["effect"])
    assert slope == pytest.approx(alone.dag.equations[2][1])
