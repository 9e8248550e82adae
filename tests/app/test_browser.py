"""The walk through the page in a real browser: data, roles, fit, argue, effects, keep."""

import signal
import time

import networkx as nx
import numpy as np
import pytest

pytestmark = pytest.mark.browser

#: For what never comes; nothing here waits for a clock.
LIMIT = 60.0


class Walk:
    """A page of a server, and the things people do with it."""

    def __init__(self, browser, address, width=1400):
        self.browser = browser
        browser.get("about:blank")
        browser.set_window_size(width, 900)
        browser.get(address)
        # A tab keeps the name of its window: every test begins with a new one.
        browser.execute_script("sessionStorage.clear()")
        browser.get_log("browser")
        browser.refresh()
        self.until("document.querySelector('.doors')")

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def until(self, condition):
        end = time.monotonic() + LIMIT
        while not (found := self.script(f"return {condition}")):
            assert time.monotonic() < end, (condition, self.text("#banner"), self.errors())
            time.sleep(0.03)
        return found

    def one(self, selector):
        return self.browser.find_element("css selector", selector)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.textContent", selector)

    def errors(self):
        return [e["message"] for e in self.browser.get_log("browser") if e["level"] == "SEVERE"]

    def upload(self, path):
        self.one("#file").send_keys(str(path))
        self.until("document.querySelector('.size')?.textContent")

    def sample(self, name):
        self.one(f"[data-sample={name}]").click()
        self.until("document.querySelector('.size')?.textContent")

    def fit(self, number=1):
        self.one("#learn").click()
        self.fitted(number)

    def fitted(self, number):
        self.until(f"document.body.dataset.fitted === '{number}'")
        self.until("document.querySelectorAll('#page-graph .node').length > 0")

    def choose_edge(self, k=0):
        self.script(
            "document.querySelector(`.edge[data-edge='${arguments[0]}']`)"
            ".dispatchEvent(new Event('click'))",
            k,
        )
        self.until("document.querySelector('#forbid')")
        return self.text(".panel h3")

    def edges(self):
        return self.script(
            "return [...document.querySelectorAll('#page-graph .edge title')]"
            ".map((t) => t.textContent.split(':')[0])"
        )


@pytest.fixture
def walk(browser, server):
    def begin(width=1400, address=server.address):
        return Walk(browser, address, width)

    return begin


def most_reached(edges):
    """How many others the variable with the most effects reaches."""
    graph = nx.DiGraph(edge.split(" → ") for edge in edges)
    return max(len(nx.descendants(graph, node)) for node in graph)


def write_wide(path, p=300, n=150):
    """Many variables in short chains."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(n, p))
    for j in range(p):
        if j % 3:
            values[:, j] += 1.1 * values[:, j - 1]
    names = ",".join(f"gene{j}" for j in range(p))
    np.savetxt(path, values, delimiter=",", header=names, comments="", fmt="%.5f")
    return path


@pytest.mark.parametrize("width", [1400, 900])
def test_the_walk_with_the_sachs_cells(walk, tmp_path, width):
    from selenium.webdriver.support.ui import Select

    page = walk(width)
    page.sample("sachs")
    assert "7,466 rows, 11 variables" in page.text(".size")
    assert len(page.all("table.columns svg.chart rect")) > 100
    role = page.script("return document.querySelector('tr[data-column=target] select').value")
    assert role == "intervention"
    page.fit()
    before = page.edges()
    edge = page.choose_edge()
    page.one("#forbid").click()
    page.fitted(2)
    page.until("!document.querySelector('.known ul')?.textContent.includes('nothing')")
    assert edge not in page.edges()
    assert edge in before
    assert f"{edge} must not be there" in page.text(".known")
    page.one("#tab-what-if").click()
    page.until("document.querySelector('#predictions')")
    assert page.all("#predictions tr.is-set")
    reached = most_reached(page.edges())
    page.until(f"document.querySelectorAll('#effects tr').length === {reached}")
    Select(page.one(".what")).select_by_visible_text(page.edges()[0].split(" → ")[0])
    # The table may be drawn anew between a look and a click: both in one, until it has answered.
    page.until(
        "(document.querySelector('#effects .chip')?.click(),"
        " document.querySelector('.told')?.textContent)"
    )
    page.one("#tab-keep").click()
    page.until("document.querySelector('#command')")
    assert "--init fit-1/result.json" in page.text("#command")
    folder = page.one("#folder")
    folder.clear()
    folder.send_keys(str(tmp_path / "kept"))
    page.one("#save").click()
    page.until("document.querySelector('#saved').textContent")
    assert (tmp_path / "kept" / "fit-2" / "report.html").exists()
    page = walk(width)
    page.one("#work-folder").send_keys(str(tmp_path / "kept"))
    page.one("#open-work").click()
    page.until("document.querySelector('#banner.remark')?.textContent.startsWith('opened')")
    page.until("document.querySelectorAll('#page-graph .node').length === 11")
    assert len(page.all(".history li")) == 2
    overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.script(f"return {overflow}")
    assert page.errors() == []


def test_300_variables_open_as_a_neighbourhood(walk, tmp_path):
    page = walk()
    page.upload(write_wide(tmp_path / "wide.csv"))
    assert "150 rows, 300 variables" in page.text(".size")
    page.fit()
    assert page.text(".gv-shown").startswith("around gene")
    assert len(page.all("#page-graph .node")) < 49
    page.one(".gv-find").send_keys("gene7")
    page.until("document.querySelector('.gv-shown').textContent.startsWith('around gene7:')")
    page.choose_edge(
        page.script("return Number(document.querySelector('#page-graph .edge').dataset.edge)")
    )
    page.one("#turn").click()
    page.fitted(2)
    page.one(".history li:nth-child(2) .small").click()
    page.until("document.querySelector('.differences')")
    assert len(page.all(".gv-svg")) == 2
    page.one("#leave").click()
    page.one("#undo").click()
    page.until("document.querySelector('.history [aria-current]').textContent.startsWith('1.')")
    assert page.errors() == []


def test_hostile_names_are_text(walk, tmp_path):
    names = ["</script><script>window.broken=1</script>", "<img src=x onerror=window.broken=1>"]
    names += ["a&b <b>bold</b>", "'); window.broken=1; //"]
    rng = np.random.default_rng(0)
    values = rng.normal(size=(80, 4))
    values[:, 1:] += values[:, :-1]
    path = tmp_path / "hostile.csv"
    np.savetxt(path, values, delimiter="\t", header="\t".join(names), comments="")
    page = walk()
    page.upload(path.rename(tmp_path / "<b>hostile.tsv"))
    page.fit()
    page.choose_edge()
    page.one("#forbid").click()
    page.fitted(2)
    for tab in ("what-if", "keep"):
        page.one(f"#tab-{tab}").click()
    page.until("document.querySelector('#command')")
    assert page.script("return window.broken") is None
    assert not page.all("main b, main img")
    assert names[0] in page.text("table.columns")
    assert " ".join(names[3].split()) in page.text("#page-graph")
    assert page.errors() == []


def test_reloading_in_the_middle_of_a_fit(walk, table):
    page = walk()
    page.upload(table)
    # Annealing takes as long as it is told to: it is stopped here, not waited for.
    page.one("details.fold summary").click()
    page.until("document.querySelector('#set-n_iter')")
    for name, value in (("search", "anneal"), ("n_iter", "900000000")):
        field = page.one(f"#set-{name}")
        field.send_keys(value)
        page.script("arguments[0].dispatchEvent(new Event('change'))", field)
    page.until("!document.querySelector('#learn').disabled")
    page.one("#learn").click()
    page.until("document.querySelector('.doing')?.textContent.includes('score')")
    page.browser.refresh()
    page.until("document.querySelector('.doing')?.textContent.includes('score')")
    page.one("#stop").click()
    page.fitted(1)
    assert "interrupted" in page.text(".facts")
    assert page.errors() == []


def test_the_server_is_killed_and_started_again(browser, start, table, tmp_path):
    first = start(table, state=tmp_path)
    page = Walk(browser, first.address)
    page.until("document.querySelector('.size')?.textContent")
    page.fit()
    first.end(signal.SIGKILL)
    page.until("document.querySelector('#banner').textContent.includes('does not answer')")
    second = start(state=tmp_path)
    page = Walk(browser, second.address)
    page.one(".card.left").click()
    page.until("document.querySelectorAll('#page-graph .node').length === 4")
    assert len(page.all(".history li")) == 1
    page.choose_edge()
    page.one("#forbid").click()
    page.fitted(2)


def test_keys_alone_are_enough(walk):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    page = walk()

    def press(*keys):
        ActionChains(page.browser).send_keys(*keys).perform()

    def tab_to(selector):
        for _ in range(80):
            press(Keys.TAB)
            if page.script("return document.activeElement.matches(arguments[0])", selector):
                return
        pytest.fail(f"no way to {selector} with the keyboard")

    tab_to("[data-sample=asia]")
    press(Keys.ENTER)
    page.until("document.querySelector('.size')?.textContent")
    tab_to("#learn")
    press(Keys.ENTER)
    page.fitted(1)
    tab_to("#page-graph .gv-svg")
    press(Keys.ARROW_DOWN)
    page.until("document.querySelector('#tier')")
    press("e")
    page.until("document.querySelector('#forbid')")
    edge = page.text(".panel h3")
    press("f")
    page.fitted(2)
    assert f"{edge} must not be there" in page.text(".known")
    tab_to("[role=tab]")
    press(Keys.ARROW_RIGHT)
    page.until("document.querySelector('#predictions')")
    assert page.errors() == []


def test_categories_are_proposed_cut_fitted_and_asked(walk, tmp_path):
    """A table of text and a number: its levels are shown, and what follows from setting one."""
    from selenium.webdriver.support.ui import Select

    rng = np.random.default_rng(0)
    smoker = rng.random(300) < 0.5
    cough = smoker ^ (rng.random(300) < 0.1)
    age = 50 + 9 * smoker + rng.normal(size=300)
    rows = zip(
        np.where(smoker, "yes", "no"), np.where(cough, "<b>often", "never"), age, strict=True
    )
    path = tmp_path / "patients.csv"
    path.write_text("smoker,cough,age\n" + "".join(f"{a},{b},{c:.3f}\n" for a, b, c in rows))
    page = walk()
    page.upload(path)
    row = "tr[data-column=age]"
    assert "is-category" in page.one("tr[data-column=smoker]").get_attribute("class")
    Select(page.one(f"{row} select.scale")).select_by_value("quantiles-2")
    page.until(f"document.querySelectorAll('{row} .label').length === 2")
    assert "'age' is cut at" in page.text(".notes")
    page.fit()
    page.choose_edge()
    assert "nats without it" in page.text(".panel")
    assert page.all(".panel table.ranking")
    page.one("#tab-what-if").click()
    page.until("document.querySelector('#page-what-if select')")
    page.one("#tab-keep").click()
    page.until("document.querySelector('#command')?.textContent.includes('--discretize')")
    assert "quantiles-2:age" in page.text("#command")
    assert not page.all("main b")
    assert page.errors() == []
