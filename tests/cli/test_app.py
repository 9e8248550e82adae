import importlib.metadata
import re

import pytest
from typer.main import get_command

from arcs.cli.app import app
from arcs.cli.failures import exit_code
from arcs.errors import SettingsError

COMMANDS = (
    *("fit", "compare", "evaluate", "show", "simulate"),
    *("methods", "networks", "convert", "demo"),
)


def test_version(run):
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"arcs {importlib.metadata.version('arcs-bn')}\n"


def test_every_command_is_listed(run):
    result = run("--help")
    assert result.exit_code == 0
    names = set(get_command(app).commands)
    assert set(COMMANDS) <= names
    for name in names:
        assert re.search(rf"^  {name} ", result.stdout, re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_fits_80_columns(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert re.search(rf"Examples?:\n +arcs {command}", result.stdout)
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_usage_errors_are_two_lines_with_a_remedy(run):
    for words in (
        ("fit",),
        ("fit", "x.csv", "--nonsense"),
        ("frobnicate",),
        ("fit", "-q", "--seed", "x", "a"),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert len(lines) == 2
        assert lines[1].startswith("Try 'arcs")


def test_mistyped_commands_get_a_suggestion(run):
    assert "fit" in run("fitt").stderr


def test_library_errors_are_one_line(run):
    result = run("fit", "absent.csv")
    assert result.exit_code == 1
    assert result.stderr == "arcs: absent.csv: there is no such file\n"


def test_defects_say_how_to_see_the_traceback(run, csv_file):
    words = ("fit", csv_file, "-i", "target", "-m", "defective")
    result = run(*words)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "internal error: ZeroDivisionError" in result.stderr
    assert "--debug" in result.stderr


@pytest.mark.parametrize("place", [0, -1])
def test_debug_shows_the_traceback_wherever_it_stands(run, csv_file, place):
    words = ["fit", csv_file, "-i", "target", "-m", "broken"]
    words.insert(place if place == 0 else len(words), "--debug")
    result = run(*words)
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr
    assert "the other program crashed" in result.stderr


def test_interrupted_without_result(run, csv_file):
    result = run("fit", csv_file, "-i", "target", "-m", "unstoppable")
    assert result.exit_code == 130
    assert "Traceback" not in result.stderr


def test_remedies_are_named_as_options(run, csv_file):
    result = run("fit", csv_file)
    assert result.exit_code == 1
    assert "column 'target'" in result.stderr
    assert result.stderr.endswith("-i target\n")
    assert "--exclude" not in result.stderr
    csv_file.write_text(csv_file.read_text().replace(",bronc\n", ",unseen\n"))
    result = run("fit", csv_file, "-i", "target")
    assert "--drop-unmeasured" in result.stderr
    assert "--control LABEL" in result.stderr
    assert run("fit", csv_file, "-i", "target", "--drop-unmeasured").exit_code == 0


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (PermissionError(13, "Permission denied", "there.csv"), 1, "there.csv: Permission denied"),
        (MemoryError(), 1, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (SettingsError("gamma must be above 1"), 2, "gamma must be above 1"),
    ],
)
def test_exit_codes_of_errors(error, code, text, capsys):
    assert exit_code(error, debug=False) == code
    assert capsys.readouterr().err == f"arcs: {text}\n" or "out of memory" in text
