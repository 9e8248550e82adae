"""Input that real people have: one table of behaviours, for learners, estimator and command line.

No case hangs, crashes with an error of linear algebra, or is answered by a silently empty graph.
"""

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from typer.testing import CliRunner

import arcs
from arcs.cli import app
from arcs.data import Dataset
from arcs.errors import DataError, DataWarning, SettingsError
from arcs.learners import LEARNERS, learner
from arcs.results import FitResult

#: Learners of the package itself; those of others run in processes of their own.
OWN = sorted(
    name
    for name, kind in LEARNERS.items()
    if kind.__module__.startswith("arcs.learners.") and "peers" not in kind.__module__
)
EXPERIMENTAL = [name for name in OWN if LEARNERS[name].uses_interventions]


def chain(n=80, p=4, seed=0):
    """x0 -> x1 -> ... with strong edges."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    for j in range(1, p):
        values[:, j] += 1.2 * values[:, j - 1]
    return values


def through_learner(data, **options):
    return learner("hc").fit(Dataset.of(data, **options))


def through_estimator(data, **options):
    design = {key: options.pop(key) for key in ("interventions", "control") if key in options}
    if options:
        data, design = Dataset.of(data, **options, **design), {}
    return arcs.ARCS(random_state=0).fit(data, **design).result_


@pytest.fixture(params=[through_learner, through_estimator], ids=["learner", "estimator"])
def fit(request):
    return request.param


@pytest.fixture
def run(tmp_path, monkeypatch):
    """``arcs fit`` on a frame, an array or the content of a file; (exit code, all it printed)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")

    def invoke(data, *words, name="data.csv"):
        path = tmp_path / name
        if isinstance(data, np.ndarray):
            data = pd.DataFrame(data, columns=[f"x{j}" for j in range(data.shape[1])])
        if isinstance(data, pd.DataFrame):
            data.to_csv(path, index=False)
        else:
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
        words = ["fit", str(path), "-m", "hc", "-o", "out", *words]
        answer = CliRunner().invoke(app, words)
        assert answer.exception is None or isinstance(answer.exception, SystemExit)
        text = " ".join((answer.stdout + answer.stderr).split())
        assert "internal error" not in text
        return answer.exit_code, text

    return invoke


def saved():
    return FitResult.load(Path("out/result.json"))


def assert_sound(result):
    dag = result.dag
    position = np.argsort(result.order.nodes)
    sources, targets = np.nonzero(dag.adjacency)
    assert (position[sources] < position[targets]).all()
    for array in (dag.coefficients, dag.noise_variances, dag.intercepts):
        assert np.isfinite(array).all()
    assert np.isfinite([result.score, result.bic, result.log_likelihood]).all()


# --------------------------------------------------------------------------- missing values
def holes():
    values = chain()
    values[3, 1], values[5, 1], values[7, 3] = np.nan, np.nan, np.inf
    return values


def test_missing_values_are_refused_by_column_and_count(run):
    message = r"3 values in 2 of 4 columns: 'x1' \(2\), 'x3' \(1\) .*missing='drop'"
    with pytest.raises(DataError, match=message):
        through_learner(holes())
    frame = pd.DataFrame(holes(), columns=list("abcd"))
    with pytest.raises(DataError, match=r"'b' \(2\), 'd' \(1\)"):
        through_estimator(frame)
    with pytest.raises(ValueError, match="Input X contains"):
        through_estimator(holes())  # an array: scikit-learn's own words
    code, text = run(holes())
    assert code == 1
    assert "3 values in 2 of 4 columns: 'x1' (2), 'x3' (1)" in text
    assert "--missing drop, pairwise or em" in text
    assert not Path("out/result.json").exists()


@pytest.mark.parametrize("missing", ["drop", "pairwise", "em"])
def test_missing_values_on_request(fit, run, missing):
    result = fit(holes(), missing=missing)
    assert_sound(result)
    assert result.cpdag == through_learner(chain()).cpdag or missing == "drop"
    assert result.audit["missing"] == {"x1": 2, "x3": 1}
    assert result.audit["effective_n"] in (77, 78)
    code, _ = run(holes(), "--missing", missing)
    assert code == 0
    assert saved().audit == fit(holes(), missing=missing).audit
    code, text = run(holes(), "--missing", "guess")
    assert code == 2
    assert "missing must be one of 'error', 'drop', 'pairwise', 'em'; got 'guess'" in text


# --------------------------------------------------------------------------- constants
def flat():
    values = chain()
    values[:, 2] = 3.25
    return values


def test_constant_columns(fit, run):
    with pytest.raises(DataError, match="1 column is constant: 'x2'"):
        fit(flat())
    code, text = run(flat())
    assert (code, "'x2'" in text, "--drop-constant" in text) == (1, True, True)
    code, _ = run(flat(), "--drop-constant")
    assert code == 0
    for result in (fit(flat(), constant="drop"), saved()):
        assert_sound(result)
        assert result.n_edges >= 1
        assert not result.dag.adjacency[2].any()
        assert not result.dag.adjacency[:, 2].any()
        assert result.audit["constant"] == ["x2"]
        assert result.dag.intercepts[2] == pytest.approx(3.25)
        assert result.dag.noise_variances[2] < 1e-12


def test_constant_unless_intervened(fit, run):
    values = chain()
    values[20:, 2] = 0.5
    targets = np.array([2] * 20 + [-1] * 60)
    message = "column 'x2' constant within the rows in which it is not intervened upon"
    with pytest.raises(DataError, match=message):
        fit(values, interventions=targets)
    frame = pd.DataFrame(values, columns=list("abcd")).assign(t=["c"] * 20 + [""] * 60)
    code, text = run(frame, "-i", "t")
    assert code == 1
    assert "column 'c' constant within the rows" in text
    result = fit(values, interventions=targets, constant="drop")
    assert not result.dag.adjacency[:, 2].any()
    assert_sound(result)


@pytest.mark.parametrize("name", OWN)
def test_a_dropped_constant_is_isolated_for_every_learner(name):
    result = learner(name, random_state=0).fit(Dataset.of(flat(), constant="drop"))
    assert_sound(result)
    assert not result.dag.adjacency[2].any()
    assert not result.dag.adjacency[:, 2].any()
    assert result.dag.adjacency[0, 1] or result.dag.adjacency[1, 0]


# --------------------------------------------------------------------------- collinear columns
def copies():
    values = chain()
    return np.column_stack([values, 5 - 3 * values[:, 0], values[:, 1] + values[:, 3]])


@pytest.mark.parametrize("name", OWN)
def test_copies_and_combinations(name):
    model = learner(name, random_state=0)
    with pytest.warns(DataWarning) as caught:
        first = model.fit(copies())
    texts = [str(warning.message) for warning in caught]
    assert sum("{'x0', 'x4'} are copies of each other" in text for text in texts) == 1
    assert sum("{'x1', 'x3', 'x5'} are exactly collinear" in text for text in texts) == 1
    assert_sound(first)
    assert first.n_edges > 0
    assert np.abs(first.dag.coefficients).max() < 1e3
    with pytest.warns(DataWarning):
        again = model.fit(copies())
    assert np.array_equal(first.dag.coefficients, again.dag.coefficients)


def test_copies_on_the_command_line(run):
    code, text = run(copies())
    assert code == 0
    assert "note: {'x0', 'x4'} are copies" in text
    assert saved().audit["collinear"] == [["x1", "x3", "x5"]]


# --------------------------------------------------------------------------- sizes
@pytest.mark.parametrize("name", OWN)
def test_fewer_rows_than_columns(name):
    rng = np.random.default_rng(1)
    result = learner(name, random_state=0).fit(rng.normal(size=(8, 15)))
    assert_sound(result)
    assert result.audit["fewer_rows_than_columns"]
    assert "fewer rows (8) than columns (15)" in result.audit["notes"][0]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_rows(n, run):
    with pytest.raises(DataError, match="0 sample" if n == 0 else rf"n_samples={n}"):
        through_learner(chain()[:n])
    with pytest.raises(ValueError, match="sample"):
        through_estimator(chain()[:n])
    code, text = run(chain()[:n])
    assert code == 1
    assert ("no rows" if n == 0 else "at least 3 rows are needed") in text


def test_no_columns(fit):
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        fit(np.empty((10, 0)))


@pytest.mark.parametrize("name", OWN)
def test_one_column_is_the_empty_graph(name):
    result = learner(name, random_state=0).fit(chain()[:, :1])
    assert result.dag.adjacency.tolist() == [[False]]
    assert_sound(result)


def test_one_column_for_estimator_and_command_line(run):
    assert through_estimator(chain()[:, :1]).n_edges == 0
    code, _ = run(chain()[:, :1])
    assert code == 0
    assert saved().n_edges == 0


# --------------------------------------------------------------------------- kinds of columns
def test_text_dates_categories(fit, run):
    frame = pd.DataFrame(chain(6, 2), columns=["a", "b"]).assign(
        word=list("xyzxyz"), day=pd.Timestamp("2020-01-01"), kind=pd.Categorical(list("ababab"))
    )
    with pytest.raises(DataError, match=r"3 columns are not numeric: 'word', 'day', 'kind'\. Leav"):
        fit(frame)
    code, text = run(frame)
    assert code == 1
    assert "line 2: column 'word' holds 'x', which is not a number" in text
    assert "--exclude 'word'" in text
    code, _ = run(frame, "--exclude", "word", "--exclude", "day", "--exclude", "kind")
    assert code == 0
    assert saved().names == ("a", "b")


@pytest.mark.parametrize(
    "column", [np.arange(80) % 2 == 0, np.arange(80) % 5, np.arange(80), np.arange(80) % 3 / 7]
)
def test_discrete_columns_run_with_one_warning(fit, run, column):
    frame = pd.DataFrame(chain(), columns=list("abcd")).assign(e=column)
    with pytest.warns(DataWarning, match="looks discrete: 'e'") as caught:
        result = fit(frame)
    assert len(caught) == 1
    assert result.audit["discrete"] == ["e"]
    code, text = run(frame.astype({"e": float}))
    assert (code, text.count("looks discrete")) == (0, 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (chain() + 1j, "Complex data not supported"),
        (sparse.csr_matrix(chain()), "dense data is required"),
        (np.array([["a", "b"], ["c", "d"]], dtype=object), "not numeric|could not convert"),
        (chain()[:, 0], "Expected 2D array, got 1D array instead"),
        (chain()[None], "Expected 2D array|dim 3"),
    ],
)
def test_arrays_of_other_kinds(fit, data, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fit(data)


# --------------------------------------------------------------------------- names
def test_names(fit, run):
    values = chain(30, 2)
    with pytest.raises(DataError, match="repeated: 'a'"):
        fit(pd.DataFrame(values, columns=["a", "a"]))
    with pytest.raises(DataError, match="empty name"):
        fit(pd.DataFrame(values, columns=["", "a"]))
    assert fit(pd.DataFrame(values, columns=[7, 8])).names == ("7", "8")
    code, text = run("a,a\n1,2\n3,4\n5,1\n")
    assert (code, "same name 'a'" in text) == (1, True)


HOSTILE = ["<script>alert(1)</script>", 'a"b\\', "=1+1", "new\nline", "ünï–☃", "../../x"]


def test_hostile_names_survive_every_file(run):
    frame = pd.DataFrame(chain(60, 6), columns=HOSTILE)
    assert through_estimator(frame).names == tuple(HOSTILE)
    code, _ = run(frame)
    assert code == 0
    assert saved().names == tuple(HOSTILE)
    assert "<script>alert(1)" not in Path("out/report.html").read_text()
    assert "<script>alert" not in Path("out/graph.svg").read_text()
    assert sorted(os.listdir()) == ["data.csv", "out"]


# --------------------------------------------------------------------------- scales
#: LISTEN takes all noise to be of one variance, which depends on the units.
FREE_OF_UNITS = [name for name in OWN if name != "listen"]


@pytest.mark.parametrize("name", FREE_OF_UNITS)
def test_scales_do_not_matter(name):
    values = chain(100, 5, seed=3)
    model = learner(name, random_state=0)
    plain = model.fit(values)
    exact = 2.0 ** np.array([-40, 40, 0, -20, 20])  # 1e-12 to 1e12, without rounding
    scaled = model.fit(values * exact)
    assert np.array_equal(plain.dag.adjacency, scaled.dag.adjacency)
    expected = plain.dag.coefficients * exact / exact[:, None]
    np.testing.assert_allclose(scaled.dag.coefficients, expected, rtol=1e-9)
    # Rounding may break ties between equivalent graphs, and nothing else.
    rounded = model.fit(values * [1e-12, 1e12, 1.0, 1e-6, 1e6])
    assert_sound(rounded)
    assert rounded.cpdag == plain.cpdag


def test_units_of_listen():
    assert_sound(learner("listen").fit(chain() * [1e-12, 1e12, 1.0, 1e-6]))


def test_scales_on_the_command_line(run):
    values = chain(100, 5, seed=3)
    run(values)
    plain = saved()
    code, _ = run(values * [1e-12, 1e12, 1.0, 1e-6, 1e6])
    assert code == 0
    assert saved().cpdag == plain.cpdag


# --------------------------------------------------------------------------- interventions
def test_wrong_targets(fit, run):
    frame = pd.DataFrame(chain(), columns=["alpha", "beta", "gamma", "delta"])
    labels = ["alpha"] * 40 + ["betta"] * 40
    with pytest.raises(DataError, match=r"'betta', in 40 rows, .* did you mean 'beta'"):
        fit(frame, interventions=labels)
    code, text = run(frame.assign(t=labels), "-i", "t")
    assert (code, "did you mean 'beta'" in text, "--drop-unmeasured" in text) == (1, True, True)
    with pytest.raises(DataError, match="range from 0 to 9, but the columns are numbered 0 to 3"):
        fit(chain(), interventions=[0, 9] * 40)
    with pytest.raises(DataError, match="describe 79 rows, the data have 80"):
        fit(frame, interventions=["alpha"] * 79)
    with pytest.raises(DataError, match=r"rows x 4 columns, got shape \(80, 3\)"):
        fit(frame, interventions=np.zeros((80, 3)))
    with pytest.raises(DataError, match="320 entries do not, the first in row 0"):
        fit(frame, interventions=np.full((80, 4), 0.5))
    with pytest.raises(DataError, match="control label 'c' does not occur; the labels are: 'alph"):
        fit(frame, interventions=["alpha"] * 80, control="c")
    code, text = run(frame.assign(t="alpha"), "-i", "t", "--control", "c")
    assert (code, "the labels are: 'alpha'" in text) == (1, True)


def test_unmeasured_targets_are_counted(fit, run):
    frame = pd.DataFrame(chain(), columns=list("abcd")).assign(t=["a"] * 20 + ["zz"] * 60)
    result = fit(frame, interventions="t", unmeasured="drop")
    assert result.audit["unmeasured"] == {"zz": 60}
    code, _ = run(frame, "-i", "t", "--drop-unmeasured")
    assert code == 0
    assert saved().audit["unmeasured"] == {"zz": 60}


@pytest.mark.parametrize("name", EXPERIMENTAL)
@pytest.mark.parametrize("spared", [0, 2])
def test_a_variable_that_is_always_set_has_no_parents(name, spared):
    mask = np.zeros((80, 4))
    mask[spared:, 1] = 1
    with pytest.warns(DataWarning, match="'x1' was intervened upon in .* no edge into it"):
        result = learner(name, random_state=0).fit(chain(), interventions=mask)
    assert_sound(result)
    assert not result.dag.adjacency[:, 1].any()
    assert not (result.cpdag.undirected[1] | result.cpdag.directed[:, 1]).any()


def test_always_set_on_the_command_line(run):
    frame = pd.DataFrame(chain(), columns=list("abcd")).assign(t="b")
    code, text = run(frame, "-i", "t")
    assert code == 0
    assert "note: 'b' was intervened upon" in text
    assert not saved().dag.adjacency[:, 1].any()


def test_everything_always_set():
    with pytest.warns(DataWarning, match="'x0', 'x1', 'x2', 'x3' was intervened"):
        result = through_learner(chain(), interventions=np.ones((80, 4)))
    assert result.n_edges == 0
    assert_sound(result)


# --------------------------------------------------------------------------- files
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields where the header has 2"),
        (",a,b\n0,1,2\n1,3,4\n2,5,1\n", "--exclude ''"),
        ("a b\n1 2\n", "line 2: column 'a b' holds '1 2'"),
        ('a,b\n1,"2,5"\n', "a decimal comma?"),
        (b"\x89PNG\r\n\x1a\n\x00\xff\xfe", "not UTF-8 text"),
        (b"\x1f\x8b\x08\x00broken", "cannot be read"),
    ],
)
def test_damaged_files(run, content, message):
    code, text = run(content)
    assert code == 1
    assert message in text


# --------------------------------------------------------------------------- settings
@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("arcs", {"lam": -1.0, "penalty": "mcp", "gamma": 2.0}, "-1"),
        ("arcs", {"penalty": "mcp", "gamma": 0.5, "lam": 1.0}, "0.5"),
        ("arcs", {"search": "anneal", "interval": 1}, "1"),
        ("arcs", {"penalty": "l7"}, "l7"),
        ("arcs", {"init": "nobody"}, "nobody"),
        ("arcs", {"time_limit": 0}, "positive number of seconds"),
        ("hc", {"max_parents": -1}, "-1"),
        ("pc", {"alpha": 1.5}, "1.5"),
        ("cd", {"gamma": 0.5}, "0.5"),
        ("hc", {"nonsense": 1}, "nonsense"),
        ("harps", {}, "no learner 'harps'"),
    ],
)
def test_bad_settings_are_named(name, settings, message):
    with pytest.raises(SettingsError, match=message):
        learner(name, **settings).fit(chain())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"penalty": "mcp", "lam": -1.0, "gamma": 2.0}, "-1"),
        ({"penalty": "mcp", "gamma": 1.0, "lam": 1.0}, "1"),
        ({"search": "anneal", "interval": 9}, "9"),
        ({"init": "nobody"}, "nobody"),
        ({"n_chains": 0}, "0"),
    ],
)
def test_bad_settings_of_the_estimator_at_fit(settings, message):
    model = arcs.ARCS(**settings)
    with pytest.raises(SettingsError, match=message):
        model.fit(chain())


def test_bad_settings_on_the_command_line(run):
    code, text = run(chain(), "--set", "max_parents=-1")
    assert (code, "-1" in text) == (2, True)
    code, text = run(chain(), "--set", "nonsense=1")
    assert (code, "nonsense" in text) == (2, True)


def test_an_unwritable_folder_fails_before_the_run(run, tmp_path):
    (tmp_path / "taken").write_text("a file")
    code, text = run(chain(), "-o", "taken")
    assert code == 1
    assert "taken" in text
    assert (tmp_path / "taken").read_text() == "a file"


# --------------------------------------------------------------------------- laws
@pytest.mark.parametrize("name", OWN)
def test_the_callers_data_are_left_alone(name):
    values, mask = chain(), np.zeros((80, 4))
    mask[:10, 0] = 1
    before = values.copy(), mask.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        learner(name, random_state=0).fit(values, interventions=mask)
    assert np.array_equal(values, before[0])
    assert np.array_equal(mask, before[1])


@pytest.mark.parametrize("name", EXPERIMENTAL)
def test_a_mask_of_zeros_changes_nothing(name):
    model = learner(name, random_state=0)
    plain, masked = model.fit(chain()), model.fit(chain(), interventions=np.zeros((80, 4)))
    assert np.array_equal(plain.dag.coefficients, masked.dag.coefficients)
