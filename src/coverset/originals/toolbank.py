"""ToolBank (Moon et al. 2024, Tool2Vec): NumpyBank, PandasBank and AWSBank."""

from __future__ import annotations

from pathlib import Path

from coverset.lines import FileError
from coverset.originals.collection import Collection, Document, Query
from coverset.originals.files import entries, find, read_json, strings, text

# Our name: the authors', and the file with the descriptions of its tools.
BANKS = {
    "numpybank": ("NumpyBank", "numpy_function_descriptions.json"),
    "pandasbank": ("PandasBank", "pandas_function_descriptions_with_classes.json"),
    "awsbank": ("AWSBank", "aws_function_descriptions.json"),
}
SPLITS = {"train": "train", "dev": "val", "test": "test"}
TOOLS = "all_tools.json"


def files(name: str) -> tuple[str, ...]:
    """Return the names of the files that a bank is read from."""
    bank, descriptions = BANKS[name]
    return (*(f"{bank}_{split}.json" for split in SPLITS.values()), descriptions, TOOLS)


def read(folder: Path, name: str) -> Collection:
    """Read a bank; the files may lie anywhere in the folder."""
    bank, descriptions = BANKS[name]
    paths = {split: find(folder, f"{bank}_{theirs}.json") for split, theirs in SPLITS.items()}
    path = find(folder, descriptions)
    tools, repeated = _tools(path, set(read_json(find(folder, TOOLS), dict, list)))
    notes = [
        "Queries are `refined_instruction`; a query needs its `functions`. `_id` and title of a document are the "
        f"tool's `new_func`, its text is the `description`; only tools in {TOOLS} count.",
        f"{repeated} names had a second description, which was dropped.",
    ]
    splits = {split: _queries(paths[split], split, tools, path) for split in SPLITS}
    documents = [Document(tool, tool, description) for tool, description in tools.items()]
    return Collection(f"{bank} (ToolBank, Moon et al. 2024, Tool2Vec)", documents, splits, notes)


def _tools(path: Path, counted: set[str]) -> tuple[dict[str, str], int]:
    """Return name -> first description of the tools that count, and how many names occur again."""
    tools: dict[str, str] = {}
    repeated = set()
    for original, entry in read_json(path, dict).items():
        where = f"{path}, {original!r}"
        if not isinstance(entry, dict):
            raise FileError(f"{where}: expected an object, got {type(entry).__name__}")
        name, description = text(where, entry, "new_func"), text(where, entry, "description")
        if name in tools:
            repeated.add(name)
        elif name in counted:
            tools[name] = description
    return tools, len(repeated)


def _queries(path: Path, split: str, tools: dict[str, str], catalogue: Path) -> list[Query]:
    queries = []
    for number, (where, entry) in enumerate(entries(path)):
        needed = strings(where, entry, "functions")
        unknown = [tool for tool in needed if tool not in tools]
        if unknown:
            raise FileError(f"{where}: the tool {unknown[0]!r} is not in the catalogue, {catalogue} and {TOOLS}")
        queries.append(Query(f"{split}-{number}", text(where, entry, "refined_instruction"), tuple(needed)))
    return queries
