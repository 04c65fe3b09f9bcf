"""The map of the house: a tree with one line per file, in CONTRIBUTING.md, from the files' own first lines.

python .ci/map.py            # fails if the map is not what the files say
python .ci/map.py --write    # brings it up to date
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOUSE, BOOK = ROOT / "src" / "coverset", ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- made by .ci/map.py --write -->\n```text\n", "```\n<!-- end of the map -->"


def first_line(path: Path) -> str:
    """Return what a file says of itself."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        said = ast.get_docstring(ast.parse(text)) or ""
    else:
        comment = re.match(r"\s*(?://|/\*)\s*(.*?)\s*(?:\*/|\n)", text)
        said = comment[1] if comment else ""
    if not said:
        raise SystemExit(f"{path.relative_to(ROOT)} does not begin with a line that says what it is")
    return said.split("\n")[0].rstrip(".")


def lines(folder: Path, depth: int = 0) -> Iterator[str]:
    """Yield the lines of a folder: its own, its files, then the folders in it."""
    start = folder / "__init__.py"
    own = f"  {first_line(start)}" if start.exists() else ""
    yield f"{'  ' * depth}{folder.name}/{own}"
    files = sorted(p for p in folder.iterdir() if p.suffix in (".py", ".js", ".css") and p.name != "__init__.py")
    for path in files:
        yield f"{'  ' * (depth + 1)}{path.name:<18}  {first_line(path)}"
    for inner in sorted(p for p in folder.iterdir() if p.is_dir() and p.name != "__pycache__"):
        if any(inner.iterdir()):
            yield from lines(inner, depth + 1)


def twice() -> list[str]:
    """Return the names that two Python files have: whoever reads one of them would have to say which."""
    names = Counter(path.name for path in HOUSE.rglob("*.py") if path.name != "__init__.py")
    return [name for name, count in names.items() if count > 1]


def main() -> None:
    """Compare or write."""
    if twice():
        raise SystemExit(f"a file name may occur once below src/coverset, these do twice: {', '.join(twice())}")
    book = BOOK.read_text(encoding="utf-8")
    before, _, rest = book.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = before + BEGIN + "\n".join(lines(HOUSE)) + "\n" + END + after
    if not rest or not after:
        raise SystemExit(
            f"{BOOK.name} must have a place for the map, between {BEGIN.splitlines()[0]} and {END[4:]}"
        )
    if "--write" in sys.argv:
        BOOK.write_text(made, encoding="utf-8")
    elif made != book:
        raise SystemExit("the map in CONTRIBUTING.md is not what the files say: python .ci/map.py --write")


if __name__ == "__main__":
    main()
