"""Covariates: formulas, codings, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from arcs import ARCS
from arcs.data import Dataset
from arcs.data.covariates import Term, learn_coding, parse_terms
from arcs.errors import DataError


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    batch = rng.integers(3, size=60)
    values = rng.normal(size=(60, 4)) + rng.normal(size=(3, 4))[batch]
    table = pd.DataFrame(values, columns=list("abcd"))
    table["batch"] = [f"b{k}" for k in batch]
    table["age"] = rng.uniform(20, 80, 60)
    table["smoker"] = rng.random(60) < 0.5
    return table


@pytest.mark.parametrize(
    "adjust",
    [
        "batch + age + age^2",
        "batch,age,age^2",
        ["batch", "age", "age^2"],
        ["batch", "age + age**2"],
        "~ batch + age + age^2",
    ],
)
def test_formulas_and_lists_say_the_same(frame, adjust):
    terms = parse_terms(adjust, list(frame.columns))
    assert terms == (Term("batch"), Term("age"), Term("age", 2))


def test_a_column_may_be_called_like_a_formula():
    assert parse_terms("a+b", ["a+b", "c"]) == (Term("a+b"),)


def test_kinds_are_recognised(frame):
    coding = learn_coding(
        parse_terms("batch + age + smoker", list(frame.columns)),
        {name: frame[name].tolist() for name in ("batch", "age", "smoker")},
    )
    assert coding.columns == ("batch=b1", "batch=b2", "age", "smoker=True")
    coded = coding.encode({name: frame[name].tolist() for name in ("batch", "age", "smoker")})
    np.testing.assert_array_equal(coded[:, 0], frame["batch"] == "b1")
    np.testing.assert_allclose([coded[:, 2].mean(), coded[:, 2].std()], [0, 1], atol=1e-12)


def test_numbers_are_categories_where_the_formula_or_the_type_says_so(frame):
    frame["lane"] = frame["batch"].str[1].astype(int)
    assert len(Dataset.of(frame, adjust="batch + lane", exclude=["age", "smoker"]).wide_names) == 7
    forced = Dataset.of(frame, adjust="C(lane)", exclude=["age", "smoker", "batch"])
    assert forced.covariates.columns == ("lane=1", "lane=2")
    frame["lane"] = frame["lane"].astype("category")
    typed = Dataset.of(frame, adjust="lane", exclude=["age", "smoker", "batch"])
    assert typed.covariates.columns == ("lane=1", "lane=2")


def test_covariates_leave_the_table(frame):
    assert Dataset.of(frame, adjust="batch + age + smoker").names == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("adjust", "message"),
    [
        ("batsh", "did you mean 'batch'"),
        ("qqqqqqqq", r"no column 'qqqqqqqq'\. A term is"),
        ("batch + batch", "given twice"),
        ("batch^2 + age + smoker", "holds categories"),
        ("", "names no covariate"),
        (["batch", 3], "names of columns or a formula"),
    ],
)
def test_bad_formulas_are_refused(frame, adjust, message):
    with pytest.raises(DataError, match=message):
        Dataset.of(frame, adjust=adjust, exclude=["age", "smoker", "batch"])


def test_missing_covariates_are_refused_with_the_remedy(frame):
    frame.loc[[4, 7], "age"] = np.nan
    with pytest.raises(DataError, match=r"'age' is missing in 2 of 60 rows.*row 4.*Fill"):
        Dataset.of(frame, adjust="age", exclude=["batch", "smoker"])


def test_a_covariate_that_does_not_vary_or_tells_rows_apart_is_refused(frame):
    frame["site"] = "here"
    frame["id"] = [f"patient {k}" for k in range(60)]
    rest = ["batch", "age", "smoker"]
    with pytest.raises(DataError, match="'here' in all 60 rows"):
        Dataset.of(frame, adjust="site", exclude=[*rest, "id"])
    with pytest.raises(DataError, match="looks like an identifier"):
        Dataset.of(frame, adjust="id", exclude=[*rest, "site"])


def test_a_covariate_that_is_also_something_else_is_refused(frame):
    values = frame[["a", "b"]].to_numpy()
    with pytest.raises(DataError, match="'a' is also a variable"):
        Dataset.from_array(values, ["a", "b"], adjust={"a": values[:, 0]})
    with pytest.raises(DataError, match="named by adjust and by conditions"):
        Dataset.of(frame, adjust="batch + age + smoker", conditions="batch")
    with pytest.raises(DataError, match="an array has no named columns"):
        Dataset.from_array(values, adjust="batch")
    with pytest.raises(DataError, match="has 59 values for 60 rows"):
        Dataset.from_array(values, adjust={"z": np.ones(59)})


@pytest.mark.filterwarnings("ignore:'batch', which was left out")
def test_collinear_covariates_count_once(frame):
    frame["again"] = 2 * frame["age"] + 1
    once = Dataset.of(frame, adjust="age", exclude=["batch", "smoker", "again"])
    twice = Dataset.of(frame, adjust="age + again", exclude=["batch", "smoker"])
    np.testing.assert_allclose(twice.statistics().gram(0), once.statistics().gram(0), atol=1e-9)
    assert twice.statistics().n[0] == once.statistics().n[0] == 59
    found = ARCS(random_state=0).fit(frame, adjust="age + again", exclude=["batch", "smoker"])
    assert "1 of their columns says what others say" in found.result_.preparation["sentences"][0]


def test_more_covariates_than_rows_are_refused():
    rng = np.random.default_rng(1)
    data = Dataset.from_array(rng.normal(size=(10, 2)), adjust=rng.normal(size=(10, 12)))
    with pytest.raises(DataError, match="10 rows that count and 9 covariates"):
        data.statistics()


def test_a_variable_that_covariates_determine_is_refused(frame):
    values = np.column_stack([frame["a"], frame["age"] * 3 - 1])
    data = Dataset.from_array(values, ["a", "copy"], adjust={"age": frame["age"]})
    with pytest.raises(DataError, match=r"exact function of the covariates.*'copy'"):
        data.statistics()
