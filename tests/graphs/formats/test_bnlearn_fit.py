"""The R script for bnlearn. Where R is installed, R reads it: with stand-ins for bnlearn that
refuse what bnlearn refuses, and where bnlearn is installed as well, with bnlearn itself."""

import functools
import os
import shutil
import subprocess

import numpy as np
import pytest

from arcs import learner
from arcs.data import Dataset
from arcs.datasets import load_sachs
from arcs.errors import FileFormatError, GraphError
from arcs.graphs import DiscreteDag, GaussianDag, Pdag, graph_from_text, graph_to_text, write_graph

#: What the script uses of bnlearn: labels, arcs and distributions are checked as bnlearn checks
#: them; then the log-likelihood of the rows is added up from the parameters.
STAND_INS = """
library <- function(...) NULL
labels <- function(x, among = x) stopifnot(
  is.character(x), !anyNA(x), all(x != ""), !anyDuplicated(x), all(x %in% among))
empty.graph <- function(nodes) { labels(nodes); list(nodes = nodes, arcs = matrix("", 0, 2)) }
`arcs<-` <- function(x, value) {
  stopifnot(is.matrix(value), ncol(value) == 2, !anyDuplicated(value))
  labels(unique(c(value)), x$nodes)
  x$arcs <- value
  x
}
custom.fit <- function(x, dist) {
  stopifnot(is.list(dist), length(dist) == length(x$nodes))
  labels(names(dist), x$nodes)
  for (node in x$nodes) {
    d <- dist[[node]]
    parents <- x$arcs[x$arcs[, 2] == node, 1]
    stopifnot(setequal(names(d), c("coef", "sd")), all(is.finite(d$coef)))
    stopifnot(length(d$coef) == 1 + length(parents), length(d$sd) == 1, d$sd >= 0)
    stopifnot(setequal(names(d$coef), c("(Intercept)", parents)))
  }
  lapply(dist, function(d) list(coefficients = d$coef, sd = d$sd))
}
"""

#: The object `fitted` told in numbers, so that no encoding stands between R and this test.
TELL = """
source("fitted.R")
for (node in names(fitted)) {
  d <- fitted[[node]]
  cat(utf8ToInt(enc2utf8(node)), "|", format(d$sd, digits = 17))
  for (term in names(d$coefficients))
    cat("|", utf8ToInt(enc2utf8(term)), ":", format(d$coefficients[[term]], digits = 17))
  cat("\\n")
}
"""

#: The log-likelihood of `rows.csv`, whose columns are in the order of the nodes.
LIKELIHOOD = """
source("fitted.R")
rows <- read.csv("rows.csv", header = FALSE, col.names = nodes, check.names = FALSE)
if (exists("STAND.INS")) {
  logLik <- function(fitted, rows) sum(sapply(names(fitted), function(node) {
    beta <- fitted[[node]]$coefficients
    fit <- beta[["(Intercept)"]] + as.matrix(rows[names(beta)[-1]]) %*% beta[-1]
    sum(dnorm(rows[[node]], fit, fitted[[node]]$sd, log = TRUE))
  }))
}
cat(format(as.numeric(logLik(fitted, rows)), digits = 17), "\\n")
"""


@functools.cache
def _r_lacks() -> str:
    """Why bnlearn cannot be asked, or nothing."""
    if shutil.which("Rscript") is None:
        return "R is not installed"
    loads = ["Rscript", "--vanilla", "-e", "library(bnlearn)"]
    return "R has no bnlearn" if subprocess.run(loads, capture_output=True).returncode else ""


@pytest.fixture(params=["stand-ins", "bnlearn"])
def run(request, tmp_path):
    """A function that runs R code in `tmp_path`, with stand-ins or with bnlearn."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    if request.param == "bnlearn" and _r_lacks():
        pytest.skip(_r_lacks())
    before = f"STAND.INS <- TRUE\n{STAND_INS}" if request.param == "stand-ins" else ""

    def in_r(code: str, **environment: str) -> list[str]:
        (tmp_path / "code.R").write_text(before + code)
        done = subprocess.run(
            ["Rscript", "--vanilla", "code.R"],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return in_r


@pytest.fixture
def strange():
    names = ["x", 'quo"te\\', "ünï→\n#{", "a b", "NA", "(intercept)", "`$1`", "\\U{41}", "😀", "if"]
    p = len(names)
    rng = np.random.default_rng(0)
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.5), 1)
    weights[0, 2] = 1e-7
    return GaussianDag(weights, rng.uniform(0.25, 4, p), names, intercepts=rng.normal(size=p))


def _text(codes: str) -> str:
    return "".join(chr(int(code)) for code in codes.split())


def _told(lines: list[str]) -> dict[str, tuple[float, dict[str, float]]]:
    told = {}
    for line in lines:
        node, deviation, *terms = line.split("|")
        pairs = (term.split(":") for term in terms)
        told[_text(node)] = (float(deviation), {_text(a): float(b) for a, b in pairs})
    return told


def _same(dag: GaussianDag, told: dict) -> None:
    assert list(told) == list(dag.names)
    for j, (deviation, terms) in enumerate(told.values()):
        assert deviation == pytest.approx(np.sqrt(dag.noise_variances[j]), rel=1e-12)
        expected = {dag.names[i]: dag.coefficients[i, j] for i in dag.parents(j)}
        assert terms == pytest.approx({"(Intercept)": dag.intercepts[j], **expected}, rel=1e-12)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_r_holds_our_parameters_under_our_names(run, strange, tmp_path, locale):
    write_graph(strange, tmp_path / "fitted.R")
    _same(strange, _told(run(TELL, LC_ALL=locale)))


def test_nothing_to_join(run, tmp_path):
    empty = GaussianDag(np.zeros((2, 2)), [1.0, 2.0], ["a", "b"])
    write_graph(empty, tmp_path / "fitted.R")
    _same(empty, _told(run(TELL)))


@pytest.mark.filterwarnings("ignore:.*heavy tails")
def test_the_sachs_network_has_the_same_likelihood_there(run, tmp_path):
    """The fit of the cells that nothing was done to, so that all rows count for every node."""
    sachs = load_sachs().data
    rows = sachs.values[np.flatnonzero(~sachs.interventions.mask.any(axis=1))]
    result = learner("hc").fit(Dataset.from_array(rows, names=sachs.names))
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", fmt="%.17g")
    write_graph(result.dag, tmp_path / "fitted.R")
    _same(result.dag, _told(run(TELL)))
    (likelihood,) = run(LIKELIHOOD)
    assert float(likelihood) == pytest.approx(result.log_likelihood, rel=1e-12)


def test_the_script_has_structure_and_parameters():
    dag = GaussianDag([[0, 0.5], [0, 0]], [4.0, 1.0], ["a", "b"], intercepts=[1.5, 0.0])
    text = graph_to_text(dag, "bnlearn-fit")
    assert 'nodes <- c("a", "b")' in text
    assert 'list(coef = setNames(c(1.5), c("(Intercept)")), sd = 2.0)' in text
    assert 'list(coef = setNames(c(0.0, 0.5), c("(Intercept)", "a")), sd = 1.0)' in text


def test_what_has_no_parameters_and_what_cannot_be_read():
    with pytest.raises(GraphError, match="need a DAG"):
        graph_to_text(Pdag([[0, 1], [0, 0]], [[0, 0], [0, 0]]), "bnlearn-fit")
    with pytest.raises(FileFormatError, match="for writing only"):
        graph_from_text("library(bnlearn)", "bnlearn-fit")


def test_what_bnlearn_could_not_tell_from_its_constant():
    dag = GaussianDag([[0, 0.5], [0, 0]], [1.0, 1.0], ["(Intercept)", "b"])
    with pytest.raises(GraphError, match="rename the node"):
        graph_to_text(dag, "bnlearn-fit")


def test_categories_are_sent_to_the_format_that_has_them():
    dag = DiscreteDag([[False]], [["x", "y"]], [[0.5, 0.5]], ["a"])
    with pytest.raises(GraphError, match=r"\.bif"):
        graph_to_text(dag, "bnlearn-fit")
