"""The directive ``{run}``: commands that run when the page is built, shown with what they print.

Commands of a page share a folder. ``:hidden:`` shows nothing, ``:silent:`` shows no output,
``:picture: FILE`` shows a picture that the commands made, and ``:page: FILE`` puts an HTML file
that they made beside the pages and links to it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from page_blocks import commands_of, run_command
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

#: Under the source folder; ignored by git.
MADE = "_made"


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the directive."""
    app.add_directive("run", Run)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class Run(SphinxDirective):
    """Run commands, and show them."""

    has_content = True
    option_spec = {  # noqa: RUF012
        "hidden": directives.flag,
        "silent": directives.flag,
        "picture": directives.unchanged,
        "alt": directives.unchanged,
        "page": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Run each command; its text and output become a block."""
        folder = Path(self.env.doctreedir) / "run" / self.env.docname
        folder.mkdir(parents=True, exist_ok=True)
        session = []
        try:
            for command in commands_of("\n".join(self.content)):
                printed = run_command(command, folder)
                session.append(f"$ {command}")
                if printed and "silent" not in self.options:
                    session.append(printed)
        except AssertionError as error:
            raise self.error(str(error)) from None
        made: list[nodes.Node] = []
        if "hidden" not in self.options:
            made.append(nodes.literal_block("\n".join(session), "\n".join(session)))
            made[0]["language"] = "console"  # type: ignore[index]
        if "picture" in self.options:
            made.append(self.picture(folder / self.options["picture"]))
        if "page" in self.options:
            made.append(self.page(folder / self.options["page"]))
        return made

    def picture(self, path: Path) -> nodes.Node:
        """The picture, copied to where Sphinx finds it."""
        target = Path(self.env.srcdir) / MADE / self.env.docname / path.name
        copy(path, target)
        uri = f"/{target.relative_to(self.env.srcdir).as_posix()}"
        return nodes.image(uri=uri, alt=self.options.get("alt", path.stem), classes=["made"])

    def page(self, path: Path) -> nodes.Node:
        """A link to an HTML file that is served beside the pages."""
        place = Path(self.env.docname) / path.name
        copy(path, Path(self.env.srcdir) / MADE / "pages" / "made" / place)
        up = "../" * self.env.docname.count("/")
        link = nodes.reference("", f"Open {path.name}", refuri=f"{up}made/{place.as_posix()}")
        return nodes.paragraph("", "", link, nodes.Text(", as this command made it."))


def copy(source: Path, target: Path) -> None:
    """Copy a file to a folder that may not be there yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
