"""Who is let in: the secret, the host, the origin, the size."""

import pytest

from arcs.app.server import MOST_UPLOADED


def test_the_page_and_its_files_have_the_secret_in_their_address(server):
    assert server.request("GET", f"/{server.secret}/")[0] == 200
    assert server.request("GET", f"/{server.secret}/static/main.js")[0] == 200
    assert server.request("GET", f"/{server.secret}/static/graphview.js")[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/static/main.js", "/wrong/", "/wrong/api/testwindow0/state", "//", "/%2e%2e/"],
)
def test_without_the_secret_nothing_is_answered(server, path):
    for method in ("GET", "POST", "PUT"):
        status, _, body = server.request(method, path)
        assert status == 403
        assert b"secret" in body


def test_the_event_stream_wants_the_secret(server):
    status, _, _ = server.request("GET", "/api/testwindow0/events")
    assert status == 403


def test_a_foreign_host_is_refused(server):
    for host in ("evil.example", f"evil.example:{server.port}", f"127.0.0.1:{server.port + 1}"):
        status, _, body = server.request("GET", f"/{server.secret}/", headers={"Host": host})
        assert status == 403
        assert b"Host" in body


def test_a_server_for_other_machines_goes_by_the_names_of_this_one():
    import socket

    from arcs.app.running import names_of

    assert names_of("127.0.0.1") == {"127.0.0.1", "localhost", "[::1]"}
    assert socket.gethostname() in names_of("0.0.0.0")
    assert "evil.example" not in names_of("0.0.0.0")


def test_a_foreign_origin_is_refused(server):
    path = f"/{server.secret}/api/testwindow0/state"
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}"):
        status, _, body = server.request("POST", path, "{}", {"Origin": origin})
        assert status == 403
        assert b"Origin" in body
    own = {"Origin": f"http://127.0.0.1:{server.port}", "Sec-Fetch-Site": "same-origin"}
    assert server.request("POST", path, "{}", own)[0] == 200
    status, _, _ = server.request("POST", path, "{}", {"Sec-Fetch-Site": "cross-site"})
    assert status == 403


def test_answers_forbid_loading_framing_and_keeping(server):
    _, headers, _ = server.request("GET", f"/{server.secret}/")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


def test_nothing_on_the_page_is_from_elsewhere(server):
    import re
    from importlib.resources import files

    names = [entry.name for entry in files("arcs.app.static").iterdir()]
    for name in names:
        if name.endswith((".js", ".css", ".html")):
            text = files("arcs.app.static").joinpath(name).read_text(encoding="utf-8")
            assert not re.search(r"https?://|@import|url\(|innerHTML", text), name


@pytest.mark.parametrize(
    "name", ["../guard.py", "..%2fguard.py", "guard.py", "page.py", "__init__.py"]
)
def test_no_other_file_is_served(server, name):
    assert server.request("GET", f"/{server.secret}/static/{name}")[0] == 404


def test_uploads_are_bounded(server):
    path = f"/{server.secret}/api/testwindow0/upload?name=big.csv"
    headers = {"Content-Length": str(MOST_UPLOADED + 1)}
    status, _, body = server.request("PUT", path, None, headers)
    assert status == 413
    assert b"512 MB" in body
    assert b"arcs app FILE" in body
    status, _, _ = server.request(
        "POST", f"/{server.secret}/api/testwindow0/state", b" " * 5_000_000
    )
    assert status == 413


def test_windows_have_plain_names(server):
    for name in ("..", "a", "x" * 65, "with-dash00"):
        status, _, _ = server.request("POST", f"/{server.secret}/api/{name}/state", "{}")
        assert status in (400, 404)


def test_bad_requests_are_refused_and_do_not_break_the_server(server):
    base = f"/{server.secret}/api/testwindow0"
    for path, body in (
        (f"{base}/nonsense", "{}"),
        (f"{base}/fit", "not json"),
        (f"{base}/fit", "[1, 2]"),
        (f"{base}/choose", '{"nobody": 1}'),
        (f"{base}/edge", "{}"),
        (f"{base}/show", '{"number": "x"}'),
        (f"{base}/sample", '{"name": "../../etc/passwd"}'),
    ):
        status, _, content = server.request("POST", path, body)
        assert status in (400, 404), (path, content)
        assert b"refused" in content
    assert server.ask("state")[0] == 200


@pytest.mark.parametrize("body", ["[" * 100_000, '{"a":' * 50_000, "NaN", "[1]", "\xff", "{"])
def test_bodies_that_are_no_object_are_refused(server, body):
    path = f"/{server.secret}/api/testwindow0/state"
    status, _, content = server.request("POST", path, body.encode("latin-1"))
    assert status == 400
    assert b"refused" in content


@pytest.mark.parametrize("name", ["a" * 5000 + ".js", "%00.js", "%ff.js", "..%2fserver.py"])
def test_pages_that_nobody_wrote_are_not_found(server, name):
    assert server.request("GET", f"/{server.secret}/static/{name}")[0] == 404


@pytest.mark.parametrize("header", ["Host", "Origin", "Sec-Fetch-Site"])
def test_headers_that_are_no_text_are_refused(server, header):
    status, _, body = server.request("GET", f"/{server.secret}/", headers={header: "\xff\xfe"})
    assert status in (400, 403)
    assert status == 400 or header.encode() in body
