"""The check of the built site notices what it is there for."""

import pytest

GOOD = '<html><body id="top"><a href="b.html#there">b</a><a href="https://example.org">x</a></body>'


@pytest.fixture
def site(tmp_path):
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text('<h2 id="there">x</h2><img src="p.png">')
    (tmp_path / "p.png").write_bytes(b"")
    return tmp_path


def test_a_sound_site_has_no_problems(site, check_site):
    assert check_site.problems_of(site) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('<a href="c.html">c</a>', "no such file"),
        ('<a href="b.html#nowhere">c</a>', "no such place"),
        ('<a href="#nowhere">c</a>', "no such place"),
        ('<img src="missing.png">', "no such file"),
        ('<script src="https://cdn.example.org/x.js"></script>', "loads https://cdn"),
        ('<link rel="stylesheet" href="//fonts.example.org/x.css">', "loads //fonts"),
        ("<style>@import 'https://fonts.example.org/x'</style>", "loads https://fonts"),
    ],
)
def test_problems_are_found(text, complaint, site, check_site):
    (site / "bad.html").write_text(text)
    (found,) = check_site.problems_of(site)
    assert found.startswith("bad.html: ")
    assert complaint in found


def test_styles_are_read_too(site, check_site):
    (site / "x.css").write_text("@font-face { src: url(https://fonts.example.org/f.woff2) }")
    assert check_site.problems_of(site) == ["x.css: loads https://fonts.example.org/f.woff2"]
