"""Formulas as MathML, which browsers typeset themselves: no script, no font, no network.

The translation is that of docutils. A formula that it does not understand is a warning, and so an
error of the build.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the renderer under the name "mathml"."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(writer: Any, node: nodes.math) -> None:
    """A formula in the line."""
    writer.body.append(translated(node))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """A formula of its own."""
    number = node.get("number")
    label = f'<span class="eqno">({number})</span>' if number else ""
    writer.body.append(f'<div class="math">{label}{translated(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def translated(node: nodes.Element, *, as_block: bool = False) -> str:
    """The MathML of a node's TeX."""
    tex = node.astext()
    try:
        return str(tex2mathml(tex, as_block=as_block))
    except MathError as error:
        logger.warning("formula %r: %s", tex, error, location=node)
        return f"<code>{escape(tex)}</code>"
