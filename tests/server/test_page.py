"""The page, in a real browser: it answers, follows the sliders, and its address restores it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import expect

from coverset import MMR, NNN, Dense, Retriever
from coverset.demo.catalogue import REQUESTS
from tests.server.browser import Open, ask, browser, drag, ids, needs_browser, open_page
from tests.server.conftest import Server

__all__ = ["browser", "open_page"]

pytestmark = needs_browser
SINE, SHUFFLE, SMOOTH = REQUESTS[0], REQUESTS[2], REQUESTS[3]


def test_a_request_is_answered_by_all_three_with_what_changed_and_why(
    open_page: Open, server: Server, tools: Path
) -> None:
    page = open_page(server)
    expect(page.get_by_role("heading", level=1)).to_contain_text("together")
    ask(page, SINE)
    expect(page.locator("#intro")).to_be_hidden()
    store = Retriever.open(tools)
    for name, decoder in (("dense", Dense()), ("mmr", MMR(relevance=0.7)), ("nnn", NNN(l1=0.05, l2=0.1))):
        assert ids(page, name) == [hit.id for hit in store.search(SINE, 5, decoder=decoder)]
        assert page.locator(f"#{name} .heatmap rect").count() == 25
        assert page.locator(f"#{name} .bar").count() == 5
    gone = [i for i in ids(page, "dense") if i not in ids(page, "nnn")]
    new = [i for i in ids(page, "nnn") if i not in ids(page, "dense")]
    assert page.locator("#left-out > li > .id").all_inner_texts() == gone != []
    assert page.locator("#brought-in > li > .id").all_inner_texts() == new != []
    expect(page.locator("#headline")).to_contain_text(f"left out {len(gone)} of the nearest")
    expect(page.locator("#certificate")).to_contain_text(f"proved optimal over all {len(store)} documents")
    assert page.locator("#cover .block").count() == 15
    assert page.locator(".path .run").count() > 5


def test_dragging_a_slider_changes_the_answer(open_page: Open, server: Server) -> None:
    page = open_page(server, f"/#q={quote(SMOOTH)}")
    expect(page.locator("#nnn .hit")).to_have_count(5)
    before = ids(page, "nnn")
    assert before != ids(page, "dense")
    drag(page, "l2", 1.0)
    # With l2 large, NNN goes over into Dense.
    expect(page.locator("#left-out")).to_contain_text("nothing")
    assert set(ids(page, "nnn")) == set(ids(page, "dense"))
    assert "l2=100" in page.url
    drag(page, "l2", 0.25)
    expect(page.locator("#left-out > li > .id").first).to_be_visible()
    weights = page.locator("#nnn .weight").all_inner_texts()
    marker = page.locator(".path .now").get_attribute("x1")
    drag(page, "l1", 1.0)
    expect(page.locator("#nnn .hit.idle").first).to_contain_text("only fills up")
    assert page.locator("#nnn .weight").all_inner_texts() != weights
    assert page.locator(".path .now").get_attribute("x1") != marker


def test_answers_that_a_newer_drag_has_overtaken_are_dropped(open_page: Open, server: Server) -> None:
    page = open_page(server, f"/#q={quote(SMOOTH)}")
    expect(page.locator("#nnn .hit")).to_have_count(5)
    page.evaluate(
        """() => { const slider = document.getElementById("l2"); for (let n = 0; n <= 1000; n += 50) {
             slider.value = n; slider.dispatchEvent(new Event("input")); } }"""
    )
    expect(page.locator("#left-out")).to_contain_text("nothing")
    page.wait_for_timeout(500)
    assert set(ids(page, "nnn")) == set(ids(page, "dense"))


def test_the_link_restores_what_was_seen(open_page: Open, server: Server) -> None:
    page = open_page(server)
    ask(page, SHUFFLE)
    drag(page, "l1", 0.3)
    drag(page, "l2", 0.1)
    drag(page, "relevance", 0.4)
    page.get_by_role("spinbutton", name="Documents").fill("7")
    expect(page.locator("#dense .hit")).to_have_count(7)
    expect(page.locator("body")).not_to_have_attribute("aria-busy", "true")
    again = open_page(server, "/" + page.url.split("/")[-1])
    expect(again.locator("#dense .hit")).to_have_count(7)
    for decoder in ("dense", "mmr", "nnn"):
        assert ids(again, decoder) == ids(page, decoder)
    assert again.locator("#nnn .weight").all_inner_texts() == page.locator("#nnn .weight").all_inner_texts()
    assert again.locator("#headline").inner_text() == page.locator("#headline").inner_text()
    assert again.get_by_label("What do you need?").input_value() == SHUFFLE


def test_back_returns_to_the_request_before(open_page: Open, server: Server) -> None:
    page = open_page(server)
    ask(page, SINE)
    first = ids(page, "nnn")
    ask(page, SHUFFLE)
    expect(page.locator("#nnn .hit .id").first).not_to_have_text(first[0])
    page.go_back()
    expect(page.locator("#nnn .hit .id").first).to_have_text(first[0])
    assert page.get_by_label("What do you need?").input_value() == SINE


def test_the_strengths_can_be_left_to_be_chosen(open_page: Open, server: Server, tools: Path) -> None:
    page = open_page(server, f"/#q={quote(SINE)}")
    expect(page.locator("#nnn .hit")).to_have_count(5)
    before = page.locator("#l2-value").inner_text()
    page.get_by_role("button", name="Choose l1 and l2").click()
    expect(page.locator("#l2-value")).not_to_have_text(before)
    assert ids(page, "nnn") == [hit.id for hit in Retriever.open(tools).search(SINE, 5, decoder=NNN())]
