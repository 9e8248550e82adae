"""The R script for bnlearn; where R is installed, R reads it (with stand-ins for bnlearn)."""

import shutil
import subprocess

import pytest

from arcs.errors import FileFormatError, GraphError
from arcs.graphs import GaussianDag, Pdag, graph_from_text, graph_to_text, write_graph

#: What the script uses of bnlearn, reduced to telling what it was given.
STAND_INS = """
library <- function(...) NULL
empty.graph <- function(nodes) list(nodes = nodes)
`arcs<-` <- function(x, value) { x$arcs <- value; x }
custom.fit <- function(x, dist) { x$dist <- dist; x }
source(commandArgs(TRUE)[1], encoding = "UTF-8")
for (node in names(fitted$dist)) {
  d <- fitted$dist[[node]]
  cat(utf8ToInt(node), "|", format(d$sd, digits = 17), "|", format(d$coef, digits = 17), "\\n")
}
numbers <- function(ends) paste(match(ends, fitted$nodes) - 1, collapse = " ")
cat(apply(fitted$arcs, 1, numbers), sep = "\\n")
"""


@pytest.fixture
def dag():
    names = ["x", 'quo"te\\', "ünï→\n#{"]
    return GaussianDag(
        [[0, 0.1, -2.5], [0, 0, 1e-7], [0, 0, 0]], [4.0, 0.25, 2.0], names, intercepts=[1, 0, -0.5]
    )


def test_the_script_has_structure_and_parameters():
    dag = GaussianDag([[0, 0.5], [0, 0]], [4.0, 1.0], ["a", "b"], intercepts=[1.5, 0.0])
    text = graph_to_text(dag, "bnlearn-fit")
    assert 'empty.graph(c("a", "b"))' in text
    assert '"a" = list(coef = c("(Intercept)" = 1.5), sd = 2.0)' in text
    assert '"b" = list(coef = c("(Intercept)" = 0.0, "a" = 0.5), sd = 1.0)' in text


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_what_was_meant(dag, tmp_path):
    write_graph(dag, tmp_path / "fitted.R")
    (tmp_path / "check.R").write_text(STAND_INS)
    command = ["Rscript", "--vanilla", "check.R", "fitted.R"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    for j, line in enumerate(lines[:3]):
        name, deviation, values = line.split("|")
        assert "".join(chr(int(code)) for code in name.split()) == dag.names[j]
        assert float(deviation) ** 2 == pytest.approx(dag.noise_variances[j])
        expected = [dag.intercepts[j], *dag.coefficients[dag.parents(j), j]]
        assert [float(value) for value in values.split()] == pytest.approx(expected)
    assert [tuple(map(int, line.split())) for line in lines[3:]] == dag.edges()


def test_what_has_no_parameters_and_what_cannot_be_read(dag):
    with pytest.raises(GraphError, match="need a DAG"):
        graph_to_text(Pdag([[0, 1], [0, 0]], [[0, 0], [0, 0]]), "bnlearn-fit")
    with pytest.raises(FileFormatError, match="for writing only"):
        graph_from_text("library(bnlearn)", "bnlearn-fit")
