"""The options of the commands, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcs.cli.inputs import method_completion, network_completion

__all__ = [
    *(
        "Bootstrap",
        "Chains",
        "Control",
        "Copies",
        "Data",
        "Delimiter",
        "DropConstant",
        "DropUnmeasured",
        "Edges",
        "Exclude",
        "Init",
    ),
    *(
        "InterventionKind",
        "Interventions",
        "Jobs",
        "Json",
        "Knowledge",
        "Method",
        "Missing",
        "NetworkName",
        "Nodes",
        "Out",
        "Quiet",
    ),
    *("Resume", "Rows", "RowsPerTarget", "Seed", "Settings", "Shuffle", "Targets", "TimeLimit"),
    *("Top", "Truth", "TruthFile"),
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
    list[str], typer.Option("--exclude", metavar="COLUMN", help="Leave a column out (repeatable).")
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", metavar="CHAR", help="Field separator, if not guessed.")
]
DropUnmeasured = Annotated[
    bool,
    typer.Option("--drop-unmeasured", help="Ignore intervention targets that are not columns."),
]
Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        metavar="error|drop|pairwise|em",
        help="What to do about missing values: refuse them, drop their rows, or use the covariance "
        "of shared rows or of the EM algorithm.",
    ),
]
DropConstant = Annotated[
    bool,
    typer.Option("--drop-constant", help="Keep columns that do not vary as isolated nodes."),
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
Chains = Annotated[
    int | None, typer.Option("--chains", min=1, help="Independent searches; the best one wins.")
]
Init = Annotated[
    str | None, typer.Option("--init", help="Start: 'random' or the name of a learner.")
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
    int,
    typer.Option(
        "--bootstrap", "-b", metavar="N", min=0, help="Confidence in edges from N resamples."
    ),
]
Settings = Annotated[
    list[str],
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting of the method (repeatable)."),
]
Top = Annotated[int, typer.Option("--top", min=0, help="Edges to print.")]
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
