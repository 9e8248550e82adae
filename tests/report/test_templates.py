"""Compiled templates are kept, and only as long as they are what would be compiled."""

import pytest
from jinja2 import DictLoader, Environment

from arcs.report.page import environment
from arcs.report.templates import KeptTemplates


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.py"
    path.write_text("autoescape = True")
    return path


def made(rules, folder, text="<b>{{ name }}</b>", **settings):
    kept = KeptTemplates(str(rules), folder)
    return Environment(
        autoescape=True, loader=DictLoader({"page": text}), bytecode_cache=kept, **settings
    )


def refuse_to_compile(monkeypatch):
    def compile(*arguments, **settings):
        raise AssertionError("compiled again")

    monkeypatch.setattr(Environment, "compile", compile)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    folder = tmp_path / "kept"
    folder.mkdir()
    return folder


def test_a_template_is_compiled_once(rules, kept, monkeypatch):
    assert made(rules, kept).get_template("page").render(name="<i>") == "<b>&lt;i&gt;</b>"
    refuse_to_compile(monkeypatch)
    assert made(rules, kept).get_template("page").render(name="<i>") == "<b>&lt;i&gt;</b>"


def test_another_text_or_other_rules_are_compiled_anew(rules, kept, monkeypatch):
    made(rules, kept).get_template("page")
    assert made(rules, kept, "{{ name }}!").get_template("page").render(name="a") == "a!"
    rules.write_text("autoescape = False")
    refuse_to_compile(monkeypatch)
    with pytest.raises(AssertionError, match="compiled again"):
        made(rules, kept, "{{ name }}!").get_template("page")


def test_damage_and_a_folder_that_is_not_there_cost_nothing_but_time(rules, kept):
    made(rules, kept).get_template("page")
    (file,) = kept.iterdir()
    file.write_bytes(file.read_bytes()[:50])
    assert made(rules, kept).get_template("page").render(name="a") == "<b>a</b>"
    assert made(rules, kept / "absent").get_template("page").render(name="a") == "<b>a</b>"


def test_nothing_is_written_where_python_writes_nothing(rules, kept, monkeypatch):
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    made(rules, kept).get_template("page")
    assert not list(kept.iterdir())


def test_reports_are_made_from_kept_templates():
    assert isinstance(environment().bytecode_cache, KeptTemplates)
