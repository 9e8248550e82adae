"""The reference is complete: every public name is on it, with an example."""

import importlib
import inspect
from dataclasses import fields


def test_every_public_name_has_an_example(api_pages):
    missing = [
        f"{module}.{name}"
        for module in api_pages.MODULES
        for name in api_pages.public_names(importlib.import_module(module))
        if lacks(getattr(importlib.import_module(module), name), ">>> ")
    ]
    assert missing == []


def lacks(thing, mark):
    """Whether a class or function has a docstring without the mark."""
    return (inspect.isclass(thing) or inspect.isroutine(thing)) and mark not in (
        thing.__doc__ or ""
    )


def test_modules_list_what_they_offer(api_pages):
    page = api_pages.module_page("arcs.graphs")
    assert ".. automodule:: arcs.graphs" in page
    assert "   GaussianMoments" in page
    assert ":obj:`GaussianDag <arcs.GaussianDag>`" in page  # has its page at the top


def test_every_option_of_every_command_is_on_the_page(command_pages):
    from typer.main import get_command

    from arcs.cli import app

    root = get_command(app)
    text = "\n".join(command_pages.sections(root, "arcs"))
    for name, command in root.commands.items():
        assert f"## arcs {name}" in text
        for parameter in command.params:
            assert all(word in text for word in parameter.opts if word.startswith("-"))


def test_help_text_cannot_be_taken_for_markup(command_pages):
    assert command_pages.escaped("a_b *c* <d>") == r"a\_b \*c\* \<d\>"


def test_every_setting_of_every_method_is_on_the_page(setting_pages):
    from arcs.learners import LEARNERS
    from arcs.settings import described_settings

    for name, kind in LEARNERS.items():
        text = setting_pages.section(name, kind)
        declared = {entry.name for entry in described_settings(kind)}
        assert {field.name for field in fields(kind) if field.repr} <= declared
        assert all(f"`{field} = " in text for field in declared)
