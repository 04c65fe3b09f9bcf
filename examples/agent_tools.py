"""The few tools, of many, that together do a job: Python's own `statistics` as tools."""

from __future__ import annotations

import inspect
import statistics
import tempfile

from coverset import Retriever

functions = {name: getattr(statistics, name) for name in statistics.__all__}
with tempfile.TemporaryDirectory() as folder:
    tools = Retriever.open(f"{folder}/tools.cover")
    tools.add({"id": name, "text": inspect.getdoc(f)} for name, f in functions.items() if inspect.getdoc(f))
    hits = tools.search("the most common value, and the standard deviation of a sample", k=4)
    for hit in hits:
        print(f"{hit.id}: {hit.text.splitlines()[0]}")
