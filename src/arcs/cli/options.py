"""The options of the commands, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcs.cli.inputs import method_completion, network_completion

__all__ = [
    "Adjust",
    "Bootstrap",
    "Chains",
    "Cluster",
    "ConditionPolicy",
    "Conditions",
    "Constant",
    "Control",
    "Copies",
    "Data",
    "Delimiter",
    "Discrete",
    "Discretize",
    "DropUnmeasured",
    "Edges",
    "Effort",
    "Exclude",
    "Init",
    "InterventionKind",
    "Interventions",
    "Jobs",
    "Json",
    "Knowledge",
    "Latent",
    "Level",
    "Method",
    "Missing",
    "NetworkName",
    "NodeNames",
    "Nodes",
    "Out",
    "Quiet",
    "ResultPath",
    "Resume",
    "Rows",
    "RowsPerTarget",
    "Seed",
    "Settings",
    "Shuffle",
    "TargetSuffix",
    "Targets",
    "TimeLimit",
    "Top",
    "Transform",
    "Transpose",
    "Truth",
    "TruthFile",
]

# --- what to read -----------------------------------------------------------------------------
Data = Annotated[
    Path, typer.Argument(metavar="DATA", help="CSV, TSV (also .gz) or Parquet file with a header.")
]
Interventions = Annotated[
    str | None,
    typer.Option(
        "--interventions",
        "-i",
        metavar="COLUMN|FILE",
        help="Column that names the intervened variables of each row (comma-separated, blank or "
        "'control' for none), or a file with one such label per line or a 0/1 table.",
    ),
]
InterventionKind = Annotated[
    str | None,
    typer.Option(
        "--intervention-kind",
        metavar="hard|soft|unknown",
        help="What interventions do: cut a variable off from its parents (hard, the default), "
        "change its noise or coefficients (soft), or nobody knows: labels name conditions, and "
        "the targets are found (unknown).",
    ),
]
Control = Annotated[
    str | None, typer.Option("--control", metavar="LABEL", help="Label of observational rows.")
]
Exclude = Annotated[
    list[str],
    typer.Option(
        "--exclude",
        metavar="COLUMNS",
        help="Columns to leave out, separated by commas (repeatable).",
    ),
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", metavar="CHAR", help="Field separator, if not guessed.")
]
Adjust = Annotated[
    str | None,
    typer.Option(
        "--adjust",
        metavar="COLUMNS|FORMULA",
        help="Covariates to regress out of every variable: 'batch,age,sex' or "
        "'batch + age + age^2'; C(batch) makes categories of numbers.",
    ),
]
Conditions = Annotated[
    str | None,
    typer.Option(
        "--conditions",
        metavar="COLUMN|none",
        help="Column of the condition of each row, whose means may differ. By default the labels "
        "of interventions, if there are any; 'none' takes all rows alike.",
    ),
]
ConditionPolicy = Annotated[
    str | None,
    typer.Option(
        "--condition-policy",
        metavar="auto|common|free|sparse|mixed",
        help="Which means may differ between conditions: none, all, few, or whatever describes "
        "the data best (auto, the default).",
    ),
]
Discrete = Annotated[
    str | None,
    typer.Option(
        "--discrete",
        metavar="COLUMNS|auto|all",
        help="Columns of categories: 'sex,stage'; auto: those that hold text; all: every column; "
        "'stage=I|II|III' declares levels and their order.",
    ),
]
Discretize = Annotated[
    str | None,
    typer.Option(
        "--discretize",
        metavar="WAY-K",
        help="Cut numbers into K levels: quantiles-3, width-3 or hartemink-3, for all of them or "
        "by column ('quantiles-3:raf,mek; width-4:age'). arcs audit shows the levels.",
    ),
]
Latent = Annotated[
    str | None,
    typer.Option(
        "--latent",
        metavar="K|auto",
        help="Hidden factors that act on all variables: so many, or as many as pay (auto).",
    ),
]
Transform = Annotated[
    str | None,
    typer.Option(
        "--transform",
        metavar="none|log|normal-scores|auto",
        help="Scale of the variables, for all of them or by column: 'log:raf,mek; "
        "normal-scores:akt'. auto: what the data look like.",
    ),
]
DropUnmeasured = Annotated[
    bool,
    typer.Option("--drop-unmeasured", help="Ignore intervention targets that are not columns."),
]
Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        metavar="error|drop|pairwise|em|level",
        help="What to do about missing values: refuse them, drop their rows, use the covariance "
        "of shared rows or of the EM algorithm, or (categories) make them a level of their own.",
    ),
]
Constant = Annotated[
    str,
    typer.Option(
        "--constant",
        metavar="error|isolate",
        help="What to do about columns that do not vary: refuse them, or keep them as nodes "
        "without edges.",
    ),
]
Transpose = Annotated[
    bool,
    typer.Option(
        "--transpose",
        help="Variables are in rows, with their names in the first column, and samples in columns.",
    ),
]
TargetSuffix = Annotated[
    str,
    typer.Option(
        "--target-suffix",
        metavar="TEXT",
        help="What stands behind the names of targets in the labels, such as _KO.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="Return the best result after that time."),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="Learner (arcs methods lists them).",
        autocompletion=method_completion,
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all random numbers.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Threads (all cores: -1).")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Effort = Annotated[
    str | None,
    typer.Option(
        "--effort", help="quick, normal or thorough: how sure to be before the search stops."
    ),
]
Chains = Annotated[
    int | None, typer.Option("--chains", min=1, help="Independent searches; the best one wins.")
]
Init = Annotated[
    str | None,
    typer.Option("--init", help="Start: 'random', the name of a learner, or a saved result."),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Folder to write to (default: <data>-arcs).")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint in the folder.")]
Knowledge = Annotated[
    Path | None,
    typer.Option(
        "--knowledge",
        "-k",
        metavar="FILE",
        help="Background knowledge: TOML, CSV (from, to, kind) or Tetrad's knowledge file.",
    ),
]
Bootstrap = Annotated[
    str,
    typer.Option(
        "--bootstrap",
        "-b",
        metavar="N|auto",
        help="Confidence in edges from N resamples; 0 for none. By default 25 of tables of at "
        "most 60 variables and a million values.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="COLUMN",
        help="Plates, donors, ...: resamples draw them as a whole. Not a variable of the network.",
    ),
]
ResultPath = Annotated[
    Path, typer.Argument(metavar="RESULT", help="result.json (or .npz), or the folder it is in.")
]
Level = Annotated[
    float, typer.Option("--level", min=0.01, max=0.9999, help="Probability of intervals.")
]
Settings = Annotated[
    list[str],
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting of the method (repeatable)."),
]
Top = Annotated[int, typer.Option("--top", min=0, help="Edges to print.")]
NodeNames = Annotated[
    str | None,
    typer.Option(
        "--nodes",
        metavar="NAMES|FILE",
        help="All nodes, for edge lists, which hold none without edges: names separated by commas, "
        "or a file whose header names them (the data).",
    ),
]
Truth = Annotated[
    str | None, typer.Option("--truth", help="The true DAG: graph file or network:NAME.")
]

# --- what to simulate -------------------------------------------------------------------------
NetworkName = Annotated[
    str | None,
    typer.Option(
        "--network",
        help="Network of the repository (arcs networks).",
        autocompletion=network_completion,
    ),
]
Copies = Annotated[int, typer.Option("--copies", min=1, help="Disjoint copies of it.")]
Nodes = Annotated[int | None, typer.Option("--nodes", min=1, help="Nodes of a random DAG instead.")]
Edges = Annotated[
    int | None, typer.Option("--edges", min=0, help="Its edges (default: as many as nodes).")
]
Rows = Annotated[int, typer.Option("--rows", "-n", min=0, help="Observational rows.")]
RowsPerTarget = Annotated[
    int,
    typer.Option("--rows-per-target", min=0, help="Rows with an intervention on each variable."),
]
Targets = Annotated[
    str | None, typer.Option("--targets", help="Only on these variables (comma-separated).")
]
TruthFile = Annotated[
    Path | None,
    typer.Option("--truth", help="Where to write the true model (default: <out>-truth.json)."),
]
Shuffle = Annotated[
    bool, typer.Option("--shuffle/--no-shuffle", help="Put the columns in random order.")
]
