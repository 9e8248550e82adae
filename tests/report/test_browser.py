"""The page's script in a real browser."""

import numpy as np
import pytest

from arcs.report import write_report

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser, result, tmp_path):
    browser.get(write_report(result, tmp_path / "report.html").as_uri())
    return browser


def one(page, selector):
    return page.find_element("css selector", selector)


def all_of(page, selector):
    return page.find_elements("css selector", selector)


def view_box(page):
    text = one(page, "#graph .gv-svg").get_dom_attribute("viewBox")
    return [float(number) for number in text.split()]


def hover(page, element):
    from selenium.webdriver import ActionChains

    ActionChains(page).move_to_element(element).perform()


def slide(page, value):
    page.execute_script(
        "const s = document.querySelector('.gv-threshold'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input'));",
        str(value),
    )


def test_nothing_goes_wrong_on_loading(page):
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert one(page, ".gv-shown").text == "8 edges"


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
    assert not all_of(page, ".gv-svg.focused")


def test_an_edge_can_be_chosen(page, result):
    page.execute_script(
        "document.querySelector('.edge[data-edge=\"0\"]').dispatchEvent(new Event('click'))"
    )
    row = result.edge_table().rows()[0]
    heading = f"{row['from']} → {row['to']}"
    assert one(page, "#panel h3").text == heading
    assert "confidence" in one(page, "#panel").text
    assert len(all_of(page, ".node.lit")) == 2


def test_edges_fade_by_confidence(page, result):
    for k, row in enumerate(result.edge_table().rows()):
        group = one(page, f'.edge[data-edge="{k}"]')
        shown = float(group.get_dom_attribute("opacity"))
        assert shown == pytest.approx(0.18 + 0.82 * row["confidence"], abs=0.006)


def test_keys_alone_are_enough(page, result):
    from selenium.webdriver.common.keys import Keys

    svg = one(page, "#graph .gv-svg")
    svg.send_keys(Keys.ARROW_DOWN)
    start = one(page, "#panel h3").text
    assert start in result.names
    svg.send_keys(Keys.ARROW_UP)
    assert one(page, "#panel h3").text in result.names
    svg.send_keys("e")
    assert "→" in one(page, "#panel h3").text
    first = one(page, "#panel h3").text
    svg.send_keys("E")
    assert "→" in one(page, "#panel h3").text
    svg.send_keys("e")
    assert one(page, "#panel h3").text == first
    svg.send_keys(Keys.ESCAPE, "/")
    assert page.switch_to.active_element == one(page, ".gv-find")


def test_a_neighbourhood_can_be_asked_for(page, result):
    from selenium.webdriver.support.ui import Select

    node = result.names.index("either")
    one(page, ".gv-find").send_keys("either")
    Select(one(page, ".gv-reach")).select_by_value("1")
    near = {node, *result.dag.parents(node), *result.dag.children(node)}
    assert {int(g.get_attribute("data-node")) for g in all_of(page, ".node")} == near
    assert f"around either: {len(near)} of 8 variables" in one(page, ".gv-shown").text
    assert all_of(page, "text.more")
    Select(one(page, ".gv-drawing")).select_by_value("ring")
    Select(one(page, ".gv-reach")).select_by_value("")
    assert len(all_of(page, ".node")) == 8


def test_large_graphs_open_as_a_neighbourhood(browser, large, tmp_path):
    browser.get(write_report(large, tmp_path / "report.html").as_uri())
    assert large.n_edges > 150
    busiest = int((large.dag.adjacency.sum(axis=0) + large.dag.adjacency.sum(axis=1)).argmax())
    assert f"around {large.names[busiest]}:" in one(browser, ".gv-shown").text
    assert 2 < len(all_of(browser, ".node")) < 49
    one(browser, ".gv-find").send_keys(large.names[5])
    assert f"around {large.names[5]}:" in one(browser, ".gv-shown").text


def test_threshold_hides_weak_edges(page, result):
    sizes = sorted(map(abs, result.edge_table()["standardised"]))
    limit = round((sizes[3] + sizes[4]) / 2, 2)
    shown = sum(size >= limit for size in sizes)
    slide(page, limit)
    assert len(all_of(page, ".edge:not(.hidden)")) == shown
    assert len(all_of(page, "#edges tr.faded")) == len(sizes) - shown
    assert f"{shown} of 8 edges" in one(page, ".gv-shown").text
    slide(page, 0)
    assert len(all_of(page, ".edge:not(.hidden)")) == 8


def test_threshold_on_confidence(page, result):
    from selenium.webdriver.support.ui import Select

    Select(one(page, ".gv-measure")).select_by_value("confidence")
    values = result.edge_table()["confidence"]
    limit = round(sorted(values)[2] + 0.005, 2)
    slide(page, limit)
    assert len(all_of(page, ".edge:not(.hidden)")) == sum(value >= limit for value in values)


def test_search_finds_a_variable_and_moves_to_it(page):
    before = view_box(page)
    for _ in range(6):
        one(page, ".gv-in").click()
    zoomed = view_box(page)
    assert zoomed[2] < before[2] / 4
    one(page, ".gv-find").send_keys("brO")
    assert one(page, ".node.chosen title").get_attribute("textContent") == "bronc"
    assert one(page, "#panel h3").text == "bronc"
    x, y, width, height = view_box(page)
    centre = page.execute_script(
        "const b = document.querySelector('.node.chosen').getBBox();"
        "return [b.x + b.width / 2, b.y + b.height / 2];"
    )
    assert x < centre[0] < x + width
    assert y < centre[1] < y + height
    one(page, ".gv-fit").click()
    assert view_box(page) == pytest.approx(before)


def test_search_says_when_there_is_no_such_variable(page):
    one(page, ".gv-find").send_keys("nobody")
    assert not all_of(page, ".node.chosen")
    assert one(page, ".gv-find").get_property("validationMessage") == "There is no such variable."


def test_the_edge_table_fits_at_both_widths(page):
    for width in (1300, 800):
        page.set_window_size(width, 1000)
        table, frame = one(page, "#edges"), page.execute_script("return document.body.clientWidth")
        assert table.size["width"] <= frame
        cells = all_of(page, "#edges tbody tr:first-child td.num")
        heights = {cell.size["height"] for cell in cells if cell.is_displayed()}
        assert len(heights) == 1  # no number is broken into two lines
    page.set_window_size(1200, 1000)


def test_long_tables_can_be_searched(browser, result, tmp_path):
    tuning = {"lambda": np.arange(40.0), "bic": np.linspace(100, 200, 40)}
    browser.get(result.with_(tuning=tuning).report(tmp_path / "long.html").as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    one(browser, ".filter").send_keys("39 200")
    shown = [row for row in all_of(browser, "#tuning tbody tr") if row.is_displayed()]
    assert len(shown) == 1
    assert "1 of 40 rows" in one(browser, ".count").text


def test_dragging_moves_the_drawing_and_clicking_pins(page, result):
    from selenium.webdriver import ActionChains

    svg = one(page, "#graph .gv-svg")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", svg)
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

    svg = one(page, "#graph .gv-svg")
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


def test_hostile_names_survive_every_click(browser, hostile, tmp_path):
    """Nodes, edges, rows and headings are clicked; names are shown as text and nothing runs."""
    browser.get(write_report(hostile, tmp_path / "report.html").as_uri())
    shown = set()
    for group in (".node", ".edge"):
        for number in range(len(all_of(browser, group))):
            browser.execute_script(
                "document.querySelectorAll(arguments[0])[arguments[1]]"
                ".dispatchEvent(new Event('click'))",
                group,
                number,
            )
            shown.add(one(browser, "#panel h3").get_attribute("textContent"))
    for button in all_of(browser, "#edges th button"):
        button.click()
    one(browser, ".gv-find").send_keys("<script>")
    assert any("<" in text for text in shown)
    assert browser.execute_script("return window.broken") is None
    assert not all_of(browser, "#panel img, #panel script, #panel b, #graph img")
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_another_script_does_not_run_even_if_it_gets_into_the_page(page):
    page.execute_script(
        "const one = document.createElement('script');"
        "one.textContent = 'window.broken = 1';"
        "document.body.append(one);"
        "const add = (text) => document.body.insertAdjacentHTML('beforeend', text);"
        "add('<img src=x onerror=\"window.broken = 2\">');"
        "add('<a id=evil href=\"javascript:window.broken=3\">x</a>');"
        "document.getElementById('evil').click();"
    )
    page.execute_async_script("setTimeout(arguments[0], 200)")
    assert page.execute_script("return window.broken") is None
    refused = [entry["message"] for entry in page.get_log("browser")]
    assert any("Content Security Policy" in text for text in refused)


def test_a_chosen_variable_shows_its_effects(page, result):
    table = result.effects_table(source="smoke")
    one(page, ".gv-find").send_keys("smoke")
    bars = all_of(page, "#panel .effect")
    assert [bar.find_element("css selector", ".effect-name").text for bar in bars] == table["to"]
    wide = [float(bar.find_element("css selector", ".effect-bar").size["width"]) for bar in bars]
    assert wide == sorted(wide, reverse=True)
    assert len(all_of(page, "#panel .effect-interval")) == len(bars)


def test_the_average_takes_the_place_of_the_best_graph(browser, result, tmp_path):
    from arcs.graphs import EdgeList, GraphEnsemble

    edges = EdgeList.of(result.dag.adjacency, result.cpdag, result.dag.coefficients)
    fewer = EdgeList(*(part[1:] for part in edges))
    told = result.with_(ensemble=GraphEnsemble.of(result.names, [fewer, fewer, edges]))
    browser.get(write_report(told, tmp_path / "report.html").as_uri())
    assert len(all_of(browser, ".edge")) == result.n_edges
    one(browser, '[data-graph="average"]').click()
    assert len(all_of(browser, ".edge")) == result.n_edges - 1
    one(browser, '[data-graph="best"]').click()
    assert len(all_of(browser, ".edge")) == result.n_edges
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert severe == []
