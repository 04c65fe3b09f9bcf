"""The page, in a real browser."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from coverset import MMR, NNN, Dense, Retriever
from coverset.demo.catalogue import REQUESTS
from tests.server.conftest import Server

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on the PATH: apt-get install chromium, or set CHROMIUM to its path"
)
KEY = "browser-key-0123456789"
SINE, SHUFFLE, SMOOTH = REQUESTS[0], REQUESTS[2], REQUESTS[3]

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open the page of a server; in the end there must be no message on the console and no request elsewhere."""
    messages: list[str] = []
    requests: list[str] = []
    homes: list[str] = []
    contexts = []

    def open_(server: Server, path: str = "/", **options: Any) -> Page:
        options.setdefault("viewport", {"width": 1200, "height": 900})
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        homes.append(server.address)
        page.goto(server.address + path)
        return page

    expect.set_options(timeout=30_000)
    yield open_
    for context in contexts:
        context.close()
    assert messages == []
    assert requests
    assert all(url.startswith(tuple(homes)) for url in requests)


def ask(page: Page, request: str) -> None:
    page.get_by_label("What do you need?").fill(request)
    page.keyboard.press("Enter")
    expect(page.locator("#headline")).not_to_be_empty()
    expect(page.locator(".path")).to_be_visible()


def ids(page: Page, decoder: str) -> list[str]:
    return page.locator(f"#{decoder} .hit .id").all_inner_texts()


def drag(page: Page, slider: str, to: float) -> None:
    """Take a slider's thumb with the mouse and drag it to a place between 0 and 1."""
    control = page.locator(f"#{slider}")
    box = control.bounding_box()
    assert box is not None
    at = int(control.input_value()) / int(control.get_attribute("max") or 1)
    y, x = box["y"] + box["height"] / 2, box["x"] + 8 + at * (box["width"] - 16)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 11):
        page.mouse.move(x + (box["x"] + 8 + to * (box["width"] - 16) - x) * step / 10, y)
    page.mouse.up()


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


def test_it_is_usable_on_a_phone(open_page: Open, server: Server) -> None:
    page = open_page(server, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    ask(page, SINE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in ("nnn", "dense", "mmr"):
        box = page.locator(f"#{name}").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["width"] > 300
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('button, input')].filter(e => e.offsetParent)"
        ".map(e => e.getBoundingClientRect().height))"
    )
    assert smallest >= 20
    page.locator("#l1").scroll_into_view_if_needed()
    page.locator("#l1").focus()
    page.keyboard.press("End")
    expect(page.locator("#l1-value")).to_have_text("0.6")
    expect(page.locator("#nnn .hit.idle").first).to_be_visible()


def test_it_works_with_the_keyboard_alone_and_says_what_it_shows(open_page: Open, server: Server) -> None:
    page = open_page(server)
    page.keyboard.type(SINE)
    page.keyboard.press("Enter")
    expect(page.locator("#nnn .hit")).to_have_count(5)
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    assert {"l1", "l2", "relevance", "k"} <= set(reached)
    page.locator("#l2").focus()
    before = page.locator("#l2-value").inner_text()
    page.keyboard.press("PageUp")
    assert page.locator("#l2-value").inner_text() != before
    assert page.locator("#l2").get_attribute("aria-valuetext") == page.locator("#l2-value").inner_text()
    for control in page.locator("input, button").all():
        if control.is_visible():
            name = control.evaluate(
                "e => e.labels?.[0]?.textContent || e.textContent || e.getAttribute('aria-label')"
            )
            assert name.strip()
    assert page.locator("#headline").get_attribute("aria-live") == "polite"
    for picture in page.locator("svg[role=img]").all():
        assert picture.get_attribute("aria-label")


def test_it_follows_light_and_dark_and_its_text_is_readable_in_both(open_page: Open, server: Server) -> None:
    papers = set()
    for scheme in ("light", "dark"):
        page = open_page(server, f"/#q={quote(SINE)}", color_scheme=scheme)
        expect(page.locator("#nnn .hit")).to_have_count(5)
        papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        for selector in ("#headline", "#nnn .text", "#nnn .tag.in", "#dense .tag.out", ".ends", ".changes h3"):
            ink, paper = page.locator(selector).first.evaluate(INK_AND_PAPER)
            assert contrast(ink, paper) >= 4.5, (scheme, selector, ink, paper)
    assert len(papers) == 2


INK_AND_PAPER = """element => {
  let under = element, paper = "rgba(0, 0, 0, 0)";
  for (; under && paper === "rgba(0, 0, 0, 0)"; under = under.parentElement) {
    paper = getComputedStyle(under).backgroundColor;
  }
  return [getComputedStyle(element).color, paper];
}"""


def contrast(ink: str, paper: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    brighter, darker = sorted((luminance(ink), luminance(paper)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_what_a_document_says_never_becomes_markup(open_page: Open, tmp_path: Path) -> None:
    folder = tmp_path / "hostile.cover"
    attack = '<img src=x onerror="document.title=`taken`"><script>document.title="taken"</script>'
    Retriever.open(folder).add(
        [{"id": f"{attack}{n}", "text": f"{attack} sort number {n} " + "word " * 60} for n in range(4)]
    )
    hostile = Server(folder).wait()
    page = open_page(hostile, f"/#q={quote('sort ' + attack)}")
    expect(page.locator("#nnn .hit")).to_have_count(4)
    assert page.title() == "Coverset"
    assert page.locator("main img").count() == 0
    assert attack in page.locator("#nnn .hit .id").first.inner_text()
    page.locator("#nnn .more").first.click()
    expect(page.locator("#nnn .more").first).to_have_text("less")
    hostile.stop()


def test_it_asks_for_a_key_where_one_is_needed(browser: Browser, tools: Path) -> None:
    locked = Server(tools, COVERSET_READ_KEYS=KEY).wait()
    page = browser.new_page()
    page.goto(f"{locked.address}/#q={quote(SINE)}")
    expect(page.get_by_role("alert")).to_contain_text("an API key is needed")
    page.get_by_label("This store asks for an API key").fill(KEY)
    page.keyboard.press("Enter")
    expect(page.locator("#nnn .hit")).to_have_count(5, timeout=30_000)
    assert KEY not in page.url
    page.close()
    locked.stop()


def test_the_strengths_can_be_left_to_be_chosen(open_page: Open, server: Server, tools: Path) -> None:
    page = open_page(server, f"/#q={quote(SINE)}")
    expect(page.locator("#nnn .hit")).to_have_count(5)
    before = page.locator("#l2-value").inner_text()
    page.get_by_role("button", name="Choose l1 and l2").click()
    expect(page.locator("#l2-value")).not_to_have_text(before)
    assert ids(page, "nnn") == [hit.id for hit in Retriever.open(tools).search(SINE, 5, decoder=NNN())]
