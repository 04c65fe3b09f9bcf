"""Make the screenshots of the page, over numpy's own functions.

python docs/images/screenshots.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from coverset import Retriever
from coverset.demo.catalogue import REQUESTS, catalogue

HERE = Path(__file__).parent
SHOTS = {"page-light.png": (REQUESTS[0], "light", 1160), "page-dark.png": (REQUESTS[2], "dark", 1160)}


def main() -> None:
    """Serve a store of the catalogue, and look at it with a browser."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "numpy.cover"
        Retriever.open(store).add([{"id": name, "text": text} for name, text in catalogue().items()])
        command = [sys.executable, "-m", "coverset", "serve", str(store), "--port", "0", "--log-level", "error"]
        served = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert served.stdout is not None
        address = served.stdout.readline().split()[-1]
        try:
            shoot(address)
        finally:
            served.terminate()
            served.wait()


def shoot(address: str) -> None:
    """Take every picture."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (request, scheme, width) in SHOTS.items():
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.goto(f"{address}#q={quote(request)}")
            page.locator(".path").wait_for(timeout=60_000)
            page.locator("#request").blur()
            page.wait_for_timeout(500)
            page.screenshot(path=HERE / name, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
