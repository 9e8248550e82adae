"""Every block of code on every page runs, or says why it does not."""

import ast
import os
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

ROOT = Path(__file__).parents[2]
GENERATED = ("tutorials", "api", "_made")
MADE = [ROOT / "docs" / "reference" / name for name in ("commands.md", "settings.md")]
PAGES = [
    ROOT / "README.md",
    *(
        path
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if not set(path.parts) & set(GENERATED) and path not in MADE
    ),
]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.filterwarnings("ignore")  # a page may show what warns
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_blocks_run(page, page_blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}  # where dataclasses look for their names
    for block in page_blocks.blocks_of(page.read_text(encoding="utf-8")):
        page_blocks.run_block(block, tmp_path, names)
    assert Path(os.getcwd()) == tmp_path


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_is_accounted_for(page, page_blocks):
    for block in page_blocks.blocks_of(page.read_text(encoding="utf-8")):
        assert page_blocks.accounted_for(block), (
            f"{page.name}, line {block.line}: a block of {block.language or 'nothing'!r} needs a "
            "reason why it is not run"
        )
        if block.exempt and block.language in page_blocks.COMMANDS:
            for command in page_blocks.commands_of(block.text):
                page_blocks.check_command(command)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_block_is_overlooked(page, page_blocks):
    assert page_blocks.overlooked(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_the_site_runs_needs_nothing_hidden(page, page_blocks):
    """Sphinx runs ``{run}`` and nothing else: a file that a hidden block makes is not there."""
    kinds = {block.language for block in page_blocks.blocks_of(page.read_text(encoding="utf-8"))}
    assert not {"setup", "{run}"} <= kinds


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_blocks_in_the_prose_of_tutorials_say_why_they_are_not_run(path, page_blocks):
    text = path.read_text(encoding="utf-8")
    blocks = page_blocks.prose_blocks_of(text)
    assert len(blocks) == text.count(".. code") + text.count("::\n#\n#    ")
    for block in blocks:
        assert block.exempt, f"{path.name}, line {block.line}"
        for command in page_blocks.commands_of(block.text):
            page_blocks.check_command(command)


def test_commands_in_help_texts_exist(page_blocks, command_pages):
    from typer.main import get_command

    from arcs.cli import app

    text = "\n".join(command_pages.sections(get_command(app), "arcs"))
    commands = [line for line in text.splitlines() if line.startswith("arcs ") and "[" not in line]
    assert len(commands) > 30
    for command in commands:
        page_blocks.check_command(command)


@pytest.mark.parametrize(
    "command", ["arcs fitt a.csv", "arcs fit a.csv --no-such-option", "arcs experiment walk table1"]
)
def test_words_that_there_are_not_are_noticed(command, page_blocks):
    with pytest.raises(AssertionError, match=r"arcs (fit|experiment)"):
        page_blocks.check_command(command)


@pytest.mark.parametrize(
    "page", ["- an item\n\n  ```python\n  1 / 0\n  ```\n", "~~~python\n1 / 0\n~~~\n"]
)
def test_blocks_that_would_be_overlooked_are_noticed(page, page_blocks):
    assert page_blocks.overlooked(page)
    assert page_blocks.overlooked(PAGE) == []


def test_prose_of_a_tutorial_without_a_reason_is_noticed(page_blocks):
    text = "# .. code-block:: console\n#\n#    $ arcs networks\n#\n# More.\n"
    (block,) = page_blocks.prose_blocks_of(text)
    assert (block.exempt, page_blocks.commands_of(block.text)) == ("", ["arcs networks"])


PAGE = """# A page

<!-- setup:
x = 2
-->
```python
y = x + 1
```

```python
>>> x + y
5
```

<!-- not run: there is no such program -->
```console
$ frobnicate
```

<!-- file: known.txt -->
```text
content
```

````{run}
:silent:
arcs networks
````
"""


def test_blocks_are_found_in_order(page_blocks):
    blocks = page_blocks.blocks_of(PAGE)
    assert [block.language for block in blocks] == [
        *("setup", "python", "python", "console", "text", "{run}"),
    ]
    assert blocks[3].exempt == "there is no such program"
    assert blocks[4].file == "known.txt"
    assert PAGE.splitlines()[blocks[1].line - 1] == "```python"


def test_a_page_is_a_story(page_blocks, tmp_path):
    names = {}
    said = [page_blocks.run_block(block, tmp_path, names) for block in page_blocks.blocks_of(PAGE)]
    assert names["y"] == 3
    assert (tmp_path / "known.txt").read_text() == "content\n"
    assert "alarm" in said[-1]


@pytest.mark.parametrize(
    "block",
    [
        "```python\n1 / 0\n```\n",
        "```python\n>>> 1 + 1\n3\n```\n",
        "```console\n$ arcs fit nothing.csv\n```\n",
        "```console\n$ rm -rf folder\n```\n",
    ],
)
def test_what_does_not_hold_is_noticed(block, page_blocks, tmp_path):
    (found,) = page_blocks.blocks_of(block)
    with pytest.raises((AssertionError, ZeroDivisionError)):
        page_blocks.run_block(found, tmp_path, {})


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_tutorials_import_what_there_is(path):
    """The site runs them; this notices sooner that a name has gone."""
    imports = [
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    names = {}
    exec(compile(ast.Module(imports, []), path.name, "exec"), names)
    assert any(node.module.split(".")[0] == "arcs" for node in imports if hasattr(node, "module"))
