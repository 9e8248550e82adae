"""The page's script in a real browser."""

import shutil

import pytest

from arcs.plots import edge_rows
from arcs.report import write_report

pytestmark = pytest.mark.browser

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--window-size=1200,1000", "--disable-dev-shm-usage"),
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no browser: install the packages chromium and chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = selenium.Chrome(options=options, service=selenium.ChromeService(driver))
    yield session
    session.quit()


@pytest.fixture
def page(browser, result, tmp_path):
    browser.get(write_report(result, tmp_path / "report.html").as_uri())
    return browser


def one(page, selector):
    return page.find_element("css selector", selector)


def all_of(page, selector):
    return page.find_elements("css selector", selector)


def view_box(page):
    text = one(page, "#graph svg").get_dom_attribute("viewBox")
    return [float(number) for number in text.split()]


def hover(page, element):
    from selenium.webdriver import ActionChains

    ActionChains(page).move_to_element(element).perform()


def slide(page, value):
    page.execute_script(
        "const s = document.getElementById('threshold'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input'));",
        str(value),
    )


def test_nothing_goes_wrong_on_loading(page):
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert one(page, "#shown").text == "8 edges"


def test_pointing_at_a_node_shows_causes_effects_and_equation(page, result):
    node = result.names.index("either")
    hover(page, one(page, f'.node[data-node="{node}"]'))
    text = one(page, "#panel").text
    assert "either =" in text
    for heading, nodes in (
        ("Causes", result.dag.parents(node)),
        ("Effects", result.dag.children(node)),
    ):
        assert (
            f"{heading} ({'parents' if heading == 'Causes' else 'children'}) ({len(nodes)})" in text
        )
        for k in nodes:
            assert result.names[k] in text
    lit = {int(g.get_attribute("data-node")) for g in all_of(page, ".node.lit")}
    assert lit == {node, *result.dag.parents(node), *result.dag.children(node)}
    hover(page, one(page, "h1"))
    assert "Point at a variable" in one(page, "#panel").text
    assert not all_of(page, "svg.focused")


def test_threshold_hides_weak_edges(page, result):
    sizes = sorted(abs(row.strength) for row in edge_rows(result))
    limit = round((sizes[3] + sizes[4]) / 2, 2)
    shown = sum(size >= limit for size in sizes)
    slide(page, limit)
    assert len(all_of(page, ".edge:not(.hidden)")) == shown
    assert len(all_of(page, "#edges tr.faded")) == len(sizes) - shown
    assert f"{shown} of 8 edges" in one(page, "#shown").text
    slide(page, 0)
    assert len(all_of(page, ".edge:not(.hidden)")) == 8


def test_threshold_on_confidence(page, result):
    from selenium.webdriver.support.ui import Select

    Select(one(page, "#measure")).select_by_value("confidence")
    values = [row.values["confidence"] for row in edge_rows(result)]
    limit = round(sorted(values)[2] + 0.005, 2)
    slide(page, limit)
    assert len(all_of(page, ".edge:not(.hidden)")) == sum(value >= limit for value in values)


def test_search_finds_a_variable_and_moves_to_it(page):
    before = view_box(page)
    for _ in range(6):
        one(page, "#zoom-in").click()
    zoomed = view_box(page)
    assert zoomed[2] < before[2] / 4
    one(page, "#find").send_keys("brO")
    assert one(page, ".node.chosen title").get_attribute("textContent") == "bronc"
    assert one(page, "#panel h3").text == "bronc"
    x, y, width, height = view_box(page)
    centre = page.execute_script(
        "const b = document.querySelector('.node.chosen').getBBox();"
        "return [b.x + b.width / 2, b.y + b.height / 2];"
    )
    assert x < centre[0] < x + width
    assert y < centre[1] < y + height
    one(page, "#zoom-fit").click()
    assert view_box(page) == pytest.approx(before)


def test_search_says_when_there_is_no_such_variable(page):
    one(page, "#find").send_keys("nobody")
    assert not all_of(page, ".node.chosen")
    assert one(page, "#find").get_property("validationMessage") == "There is no such variable."


def test_dragging_moves_the_drawing_and_clicking_pins(page, result):
    from selenium.webdriver import ActionChains

    svg = one(page, "#graph svg")
    before = view_box(page)
    chain = ActionChains(page).move_to_element_with_offset(svg, -300, 250).click_and_hold()
    chain.move_by_offset(40, -30).move_by_offset(40, -30).release().perform()
    after = view_box(page)
    assert after[0] < before[0] - 5
    assert after[1] > before[1] + 5
    assert after[2:] == pytest.approx(before[2:])
    node = one(page, '.node[data-node="1"]')
    ActionChains(page).move_to_element(node).click().perform()
    hover(page, one(page, "h1"))
    assert one(page, "#panel h3").text == result.names[1]


def test_wheel_zooms_at_the_pointer(page):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    svg = one(page, "#graph svg")
    before = view_box(page)
    ActionChains(page).scroll_from_origin(ScrollOrigin.from_element(svg), 0, -200).perform()
    after = view_box(page)
    assert after[2] < before[2]
    assert after[2] / after[3] == pytest.approx(before[2] / before[3])


def test_tables_sort_by_column(page, result):
    def column(position):
        return [cell.text for cell in all_of(page, f"#edges tbody td:nth-child({position})")]

    names = column(1)
    one(page, "#edges th:nth-child(1) button").click()
    assert column(1) == sorted(names, key=str.lower)
    one(page, "#edges th:nth-child(1) button").click()
    assert column(1) == sorted(names, key=str.lower, reverse=True)
    one(page, "#edges th:nth-child(3) button").click()
    numbers = [float(text.replace("−", "-")) for text in column(3)]
    assert numbers == sorted(numbers, reverse=True)
    assert any(number < 0 for number in numbers)


def test_hostile_names_do_not_run(browser, hostile, tmp_path):
    browser.get(write_report(hostile, tmp_path / "report.html").as_uri())
    for node in all_of(browser, ".node"):
        hover(browser, node)
    assert browser.execute_script("return window.broken") is None
    assert one(browser, "#panel h3").text
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
