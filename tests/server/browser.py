"""A real browser, and what a user does in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.server.conftest import Server

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on the PATH: apt-get install chromium, or set CHROMIUM to its path"
)

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
    return page.locator(f"#{decoder} .hit .name .id").all_inner_texts()


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
