"""A self-contained HTML report on a result, and the graph as SVG."""

from arcs.report.comparison import render_comparison, write_comparison
from arcs.report.page import CITATION, Preface, equation, notebook_html, render_report, write_report
from arcs.report.svg import graph_svg

__all__ = [
    "CITATION",
    "Preface",
    "equation",
    "graph_svg",
    "notebook_html",
    "render_comparison",
    "render_report",
    "write_comparison",
    "write_report",
]
