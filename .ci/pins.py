"""Every version that `pip install coverset[dev]` brings must stand in constraints.txt, transitive ones too.

    python .ci/pins.py            say which are missing or other than what is installed, and fail
    python .ci/pins.py --write    add those that are missing, as they are installed

Run by the Python of the environment to be looked at. Only what the extra `dev` asks for, directly or not, counts:
whatever else somebody has installed there is their own affair.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
# The lowest Python that is pinned; 3.10 is left to the ranges.
MARKER = 'python_version >= "3.11"'


def wanted(extra: str) -> dict[str, str]:
    """Return name -> installed version of everything that an extra of ours asks for, directly or not."""
    import tomllib  # since 3.11

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    todo = [(Requirement(f"coverset[{extra}]"), "")]
    while todo:
        requirement, asked = todo.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": asked}):
            continue
        name = canonicalize_name(requirement.name)
        for part in {"", *requirement.extras}:
            if (name, part) in seen:
                continue
            seen.add((name, part))
            if name == "coverset":
                lines = extras[part] if part else project["dependencies"]
                todo += [(Requirement(line), "") for line in lines]
                continue
            try:
                installed = distribution(name)
            except PackageNotFoundError:
                continue  # for another platform or Python than a marker can tell
            found[name] = installed.version.partition("+")[0]
            todo += [(Requirement(line), part) for line in installed.requires or []]
    return found


def pinned() -> Iterator[tuple[str, str]]:
    """Yield name and version of every pin that holds for this Python."""
    for line in CONSTRAINTS.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate():
                yield canonicalize_name(requirement.name), re.sub("^==", "", str(requirement.specifier))


def main() -> None:
    """Compare, and write what is missing if asked to."""
    if sys.version_info < (3, 11):
        return
    needed, pins = wanted("dev"), dict(pinned())
    missing = {name: version for name, version in needed.items() if name not in pins}
    other = [
        f"{name}: {pins[name]} is pinned, {needed[name]} is installed"
        for name in needed.keys() & pins.keys()
        if pins[name] != needed[name]
    ]
    if "--write" in sys.argv[1:]:
        head, *lines = CONSTRAINTS.read_text().splitlines()
        lines += [f"{name}=={version}; {MARKER}" for name, version in missing.items()]
        CONSTRAINTS.write_text("\n".join([head, *sorted(lines, key=str.lower)]) + "\n")
        missing = {}
    trouble = [f"{name}=={version} is installed and not pinned" for name, version in missing.items()] + other
    if trouble:
        sys.exit("\n".join(sorted(trouble)) + "\nconstraints.txt must pin them: python .ci/pins.py --write adds")


if __name__ == "__main__":
    main()
