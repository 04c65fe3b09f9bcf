"""The few tools, of many, that together do a job: Python's own `statistics` as tools."""

from __future__ import annotations

import inspect
import statistics
import tempfile

from coverset import Retriever

functions = dict(inspect.getmembers(statistics, inspect.isfunction))
with tempfile.TemporaryDirectory() as folder:
    tools = Retriever.open(f"{folder}/tools.cover")
    tools.add({"id": name, "text": inspect.getdoc(f)} for name, f in functions.items() if inspect.getdoc(f))
    hits = tools.search("the median of my data, and its standard deviation", k=4)
    for hit in hits:
        print(f"{hit.id}: {hit.text.splitlines()[0]}")
