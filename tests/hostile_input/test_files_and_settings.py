"""Damaged files, impossible settings, folders that cannot be written to."""

import pytest

import arcs
from arcs.errors import SettingsError
from arcs.learners import learner


# --------------------------------------------------------------------------- files
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields where the header has 2"),
        (",a,b\n0,1,2\n1,3,4\n2,5,1\n", "--exclude ''"),
        ("a b\n1 2\n", "line 2: column 'a b' holds '1 2'"),
        (
            'a,b\n1,"2,5"\n',
            "'b' holds '2,5', which is not a number; a decimal comma?",
        ),
        ('a,b\n1,"2,5"\n2,"1,5"\n3,"2,25"\n', "column 'b' holds text ('2,5'); a decimal comma?"),
        ("a b\n1 2\n2 3\n3 5\n", "line 2: column 'a b' holds '1 2'"),
        (b"\x89PNG\r\n\x1a\n\x00\xff\xfe", "not UTF-8 text"),
        (b"\x1f\x8b\x08\x00broken", "cannot be read"),
    ],
)
def test_damaged_files(run, content, message):
    code, text = run(content)
    assert code == 1
    assert message in text


# --------------------------------------------------------------------------- settings
@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("arcs", {"lam": -1.0, "penalty": "mcp", "gamma": 2.0}, "-1"),
        ("arcs", {"penalty": "mcp", "gamma": 0.5, "lam": 1.0}, "0.5"),
        ("arcs", {"search": "anneal", "interval": 1}, "1"),
        ("arcs", {"penalty": "l7"}, "l7"),
        ("arcs", {"init": "nobody"}, "nobody"),
        ("arcs", {"time_limit": 0}, "positive number of seconds"),
        ("hc", {"max_parents": -1}, "-1"),
        ("pc", {"alpha": 1.5}, "1.5"),
        ("cd", {"gamma": 0.5}, "0.5"),
        ("hc", {"nonsense": 1}, "nonsense"),
        ("harps", {}, "no learner 'harps'"),
    ],
)
def test_bad_settings_are_named(name, settings, message, chain):
    with pytest.raises(SettingsError, match=message):
        learner(name, **settings).fit(chain())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"penalty": "mcp", "lam": -1.0, "gamma": 2.0}, "-1"),
        ({"penalty": "mcp", "gamma": 1.0, "lam": 1.0}, "1"),
        ({"search": "anneal", "interval": 9}, "9"),
        ({"init": "nobody"}, "nobody"),
        ({"n_chains": 0}, "0"),
    ],
)
def test_bad_settings_of_the_estimator_at_fit(settings, message, chain):
    model = arcs.ARCS(**settings)
    with pytest.raises(SettingsError, match=message):
        model.fit(chain())


def test_bad_settings_on_the_command_line(run, chain):
    code, text = run(chain(), "--set", "max_parents=-1")
    assert (code, "-1" in text) == (2, True)
    code, text = run(chain(), "--set", "nonsense=1")
    assert (code, "nonsense" in text, "max_parents, " in text) == (2, True, True)
    code, text = run(chain(), "-m", "arcs", "--set", "penalty=mcp", "--set", "max_parents=1.5")
    assert (code, "max_parents must be a whole number" in text) == (2, True)
    code, text = run(chain(), "--set", "patience=NaN")
    assert (code, "patience must be a whole number" in text) == (2, True)


def test_an_unwritable_folder_fails_before_the_run(run, tmp_path, chain):
    (tmp_path / "taken").write_text("a file")
    code, text = run(chain(), "-o", "taken")
    assert code == 1
    assert "taken" in text
    assert (tmp_path / "taken").read_text() == "a file"
