"""The page is for everyone: on a phone, by keyboard, in the dark, with a key, and whatever documents say."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Route, expect

from coverset import Retriever
from coverset.demo.catalogue import REQUESTS
from tests.server.browser import Open, ask, browser, needs_browser, open_page
from tests.server.conftest import Server

__all__ = ["browser", "open_page"]

pytestmark = needs_browser
KEY = "browser-key-0123456789"
SINE = REQUESTS[0]


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
    expect(page.locator("#nnn .hit").first).to_be_visible()
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


def test_a_request_that_takes_its_time_is_seen_to_be_under_way(open_page: Open, server: Server) -> None:
    page, held = open_page(server), list[Route]()
    page.route("**/v1/compare", lambda route: held.append(route))
    page.locator("#request").fill(SINE)
    page.keyboard.press("Enter")
    go, look = page.locator("#go"), "element => getComputedStyle(element).animationName"
    expect(page.locator("body")).to_have_attribute("aria-busy", "true")
    assert go.evaluate(look) == "waiting"
    page.wait_for_timeout(800)
    assert float(go.evaluate("element => getComputedStyle(element).opacity")) < 1.0
    held[0].continue_()
    expect(page.locator("#nnn .hit")).to_have_count(5)
    assert go.evaluate(look) == "none"
