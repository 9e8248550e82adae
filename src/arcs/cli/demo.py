"""``arcs demo``: the protein-signalling data of Sachs et al., from rows to report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.console import message, output
from arcs.cli.evaluate import print_comparison
from arcs.cli.failures import INTERRUPTED
from arcs.cli.fit import notes_about_data, run_learner
from arcs.cli.inputs import parse_settings, refuse_unknown_method
from arcs.cli.outputs import prepare_folder, write_bundle
from arcs.cli.summary import print_result

if TYPE_CHECKING:
    from arcs.graphs import Pdag
    from arcs.results import FitResult

__all__ = ["demo"]


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")] = Path("demo"),
    method: options.Method = "arcs",
    seed: options.Seed = 0,
    setting: options.Settings = [],  # noqa: B006
) -> None:
    """Learn a protein-signalling network from real experiments.

    The data of Sachs et al. (Science 2005): 7,466 human T cells, 11 proteins, nine experiments. The
    result is compared with the network of the literature. Takes seconds.

    With so many cells even weak effects count; a higher price per edge leaves the strong ones.

    \b
    Examples:
      arcs demo --out demo
      arcs demo --set lam=75
    """
    from arcs.datasets import load_sachs
    from arcs.metrics import compare

    refuse_unknown_method(method, "--method")
    folder = prepare_folder(out)
    console = output()
    sachs = load_sachs()
    console.print("Protein signalling in human T cells (Sachs et al., Science 2005)")
    with notes_about_data():
        settings = {"random_state": seed, **parse_settings(setting)}
        result = run_learner(method, sachs.data, settings, quiet=False)
    result = result.with_(source="Sachs et al. (2005), logarithms")
    write_bundle(result, folder, title="Protein signalling in human T cells")
    pictures = _write_pictures(result, sachs.reference, folder)
    print_result(console, result, top=5)
    console.print("\nAgainst the network of the literature")
    print_comparison(console, compare(result.dag, sachs.reference, True), True)
    console.print("\nLook at")
    files = [*pictures, ("report.html", "interactive report, for a browser")]
    width = max(len(f"{folder / name}") for name, _ in files)
    for name, meaning in files:
        console.print(f"  {folder / name!s:<{width}}  {meaning}", soft_wrap=True)
    if result.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _write_pictures(result: FitResult, reference: Pdag, folder: Path) -> list[tuple[str, str]]:
    """PNG pictures where matplotlib is installed; the SVG is there in any case."""
    from arcs.errors import MissingDependencyError
    from arcs.plots import plot_comparison, plot_dag

    drawn = [("graph.svg", "the network")]
    try:
        _write_png(plot_dag(result), folder / "graph.png")
        drawn.append(("graph.png", "the same as a bitmap"))
        axes = plot_comparison(result, reference, experimental=True)
        _write_png(axes, folder / "comparison.png")
        drawn.append(("comparison.png", "correct, reversed, extra and missing edges"))
    except MissingDependencyError as error:
        message(f"note: {error}")
    return drawn


def _write_png(axes: Any, path: Path) -> None:
    from arcs.files import write_atomically

    with write_atomically(path, "wb") as stream:
        axes.figure.savefig(stream, format="png", dpi=150)
