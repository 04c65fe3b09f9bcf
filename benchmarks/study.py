"""Fifteen requests that take several functions each, over numpy's and the standard library's own descriptions.

    python -m benchmarks.study --out benchmarks/results

The requests and what they need were written down before anything was searched, and have not been changed since. A
need is met by any one of the functions listed for it; a request is complete when all its needs are among the first
five. The documents are read from the installed modules; `--versions 4` has every one of them in four versions.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks.answers import version
from coverset import MMR, NNN, RRF, Dense, Retriever

K = 5
MODULES = (
    *("base64", "binascii", "bisect", "bz2", "calendar", "cmath", "collections", "colorsys", "copy", "csv"),
    *("datetime", "difflib", "filecmp", "fnmatch", "fractions", "functools", "getpass", "glob", "gzip", "hashlib"),
    *("heapq", "hmac", "html", "inspect", "itertools", "json", "locale", "lzma", "math", "operator", "os"),
    *(
        "os.path",
        "pickle",
        "platform",
        "pprint",
        "random",
        "re",
        "secrets",
        "shlex",
        "shutil",
        "socket",
        "sqlite3",
    ),
    *("statistics", "string", "struct", "subprocess", "tarfile", "tempfile", "textwrap", "time", "timeit"),
    *("unicodedata", "urllib.parse", "urllib.request", "uuid", "zipfile", "zlib"),
    *("numpy", "numpy.fft", "numpy.linalg", "numpy.random"),
)
Need = tuple[str, ...]
REQUESTS: dict[str, tuple[Need, ...]] = {
    "fit a straight line through the measurements, take the standard deviation of what is left "
    "and round it to two digits": (
        ("numpy.polyfit", "statistics.linear_regression", "numpy.linalg.lstsq"),
        ("numpy.std", "statistics.stdev", "statistics.pstdev"),
        ("numpy.round", "numpy.around"),
    ),
    "read rows from a CSV file, group equal ones that follow each other and write the result as JSON": (
        ("csv.reader", "csv.DictReader"),
        ("itertools.groupby",),
        ("json.dump", "json.dumps"),
    ),
    "unpack a tar archive, delete the folder afterwards and tell how much space is left on the disk": (
        ("tarfile.open", "tarfile.TarFile", "shutil.unpack_archive"),
        ("shutil.rmtree",),
        ("shutil.disk_usage",),
    ),
    "hash the content of a file, encode it in base 64 and compare two digests in constant time": (
        ("hashlib.file_digest", "hashlib.new", "hashlib.sha256"),
        ("base64.b64encode", "base64.standard_b64encode", "base64.urlsafe_b64encode", "base64.encodebytes"),
        ("hmac.compare_digest", "secrets.compare_digest"),
    ),
    "invert a matrix, find its eigenvalues and its determinant": (
        ("numpy.linalg.inv",),
        ("numpy.linalg.eigvals", "numpy.linalg.eig", "numpy.linalg.eigh", "numpy.linalg.eigvalsh"),
        ("numpy.linalg.det", "numpy.linalg.slogdet"),
    ),
    "sort an array, drop the values that are there twice and find where new ones would have to be inserted": (
        ("numpy.sort",),
        ("numpy.unique",),
        ("numpy.searchsorted", "bisect.bisect_left", "bisect.bisect_right", "bisect.insort_right"),
    ),
    "take a web address apart, quote its query parameters and download the page": (
        ("urllib.parse.urlparse", "urllib.parse.urlsplit"),
        ("urllib.parse.quote", "urllib.parse.quote_plus", "urllib.parse.urlencode"),
        ("urllib.request.urlopen", "urllib.request.urlretrieve"),
    ),
    "shuffle the rows, choose ten of them at random and make it repeatable with a seed": (
        ("numpy.random.shuffle", "numpy.random.permutation", "random.shuffle"),
        ("numpy.random.choice", "random.sample", "random.choices"),
        ("numpy.random.seed", "random.seed", "numpy.random.default_rng"),
    ),
    "split a command line into words, look the program up on the path and run it as a child process": (
        ("shlex.split",),
        ("shutil.which",),
        ("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.Popen"),
    ),
    "make a temporary folder, copy a file into it and compress the copy with gzip": (
        ("tempfile.mkdtemp", "tempfile.TemporaryDirectory"),
        ("shutil.copy", "shutil.copy2", "shutil.copyfile"),
        ("gzip.open", "gzip.compress", "gzip.GzipFile"),
    ),
    "transform a signal to its frequencies, shift frequency zero to the middle and take absolute values": (
        ("numpy.fft.fft", "numpy.fft.rfft"),
        ("numpy.fft.fftshift",),
        ("numpy.abs", "numpy.absolute", "numpy.fabs"),
    ),
    "merge lists that are sorted already, count how often each element occurs and take the three largest": (
        ("heapq.merge",),
        ("collections.Counter", "numpy.bincount"),
        ("heapq.nlargest",),
    ),
    "replace what is not a number by zero, limit outliers to a range and compute the running total": (
        ("numpy.nan_to_num",),
        ("numpy.clip",),
        ("numpy.cumsum", "numpy.nancumsum", "itertools.accumulate"),
    ),
    "wrap a long paragraph at eighty columns, remove its common indentation and escape it for HTML": (
        ("textwrap.wrap", "textwrap.fill", "textwrap.TextWrapper"),
        ("textwrap.dedent",),
        ("html.escape",),
    ),
    "find files by a pattern, get the size of each and when it was last changed": (
        ("glob.glob", "glob.iglob", "fnmatch.filter"),
        ("os.path.getsize", "os.stat"),
        ("os.path.getmtime", "os.stat"),
    ),
}
Answers = Callable[[Retriever, str], list[str]]


def split_at_commas(store: Retriever, request: str) -> list[str]:
    """What one does without us: a search for each part, one document of each in turn."""
    rankings = [
        [hit.id for hit in store.search(part, K, decoder=Dense(distinct=False), parts=None, share=0.0)]
        for part in re.split(r", | and ", request)
    ]
    in_turn = [name for row in zip_longest(*rankings) for name in row if name is not None]
    return list(dict.fromkeys(in_turn))[:K]


def by(decoder: Dense | MMR | NNN | RRF, share: float | None = 0.0) -> Answers:
    """A search by one decoder, without parts: of meaning alone, unless said otherwise."""
    return lambda store, request: [
        h.id for h in store.search(request, K, decoder=decoder, parts=None, share=share)
    ]


RULES: dict[str, Answers] = {
    "Dense, meaning only": by(Dense(distinct=False)),
    "MMR (0.5), meaning only": by(MMR(relevance=0.5, distinct=False)),
    "split at commas, Dense for each": split_at_commas,
    "NNN() before: meaning only, every kind": by(NNN(distinct=False)),
    "RRF of words and meaning": by(RRF(distinct=False), None),
    "the default": lambda store, request: [hit.id for hit in store.search(request, K)],
}


def functions() -> Iterator[tuple[str, str]]:
    """Yield (name, what it does) of every public function and class that is described, each once."""
    seen: set[int] = set()
    for home in MODULES:
        module: ModuleType = importlib.import_module(home)
        for name in sorted(getattr(module, "__all__", None) or dir(module)):  # numpy has a set, in any order
            found = getattr(module, name, None)
            if name.startswith("_") or not callable(found) or id(found) in seen:
                continue
            if isinstance(found, type) and issubclass(found, BaseException | np.generic):
                continue
            paragraphs = re.split(r"\n\s*\n", inspect.getdoc(found) or "")
            told = next((p for p in paragraphs if p and not re.match(r"\w+\(", p)), None)
            if told is not None and found.__module__ != "typing":
                seen.add(id(found))
                yield f"{home}.{name}", " ".join(told.split())


def complete(found: list[str], needs: tuple[Need, ...]) -> bool:
    """Whether every need is met."""
    return all(set(need) & set(found) for need in needs)


def main() -> None:
    """Ask every request by every rule, and write down how many were complete."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--versions", type=int, nargs="*", default=[1, 4])
    arguments = parser.parse_args()
    described = dict(functions())
    known = {name for needs in REQUESTS.values() for need in needs for name in need}
    record: dict[str, object] = {
        "functions": len(described),
        "not in these versions": sorted(known - set(described)),
    }
    for versions in arguments.versions:
        with tempfile.TemporaryDirectory() as folder:
            store = Retriever.open(Path(folder) / "functions.cover")
            texts = {
                f"{name}#{n}": version(f"{name}. {told}", n)
                for name, told in described.items()
                for n in range(versions)
            }
            store.add({"id": name, "text": text} for name, text in texts.items())
            rules = {}
            for rule, answers in RULES.items():
                found = {request: [name.split("#")[0] for name in answers(store, request)] for request in REQUESTS}
                rules[rule] = {
                    "complete": sum(complete(found[request], needs) for request, needs in REQUESTS.items()),
                    "different": round(float(np.mean([len(set(names)) for names in found.values()])), 2),
                    "found": found,
                }
            record[f"versions {versions}"] = rules
    (arguments.out / "study.json").write_text(json.dumps(record, indent=1) + "\n")
    lines = [
        "# Fifteen requests over numpy and the standard library",
        "",
        f"`python -m benchmarks.study --out benchmarks/results`; {len(described)} functions; complete answers of "
        f"{len(REQUESTS)}, and how many of the five documents are different.",
        "",
        "| | " + " | ".join(f"{n} version{'s' * (n > 1)}" for n in arguments.versions) + " |",
        "|---|" + "--:|" * len(arguments.versions),
    ]
    for rule in RULES:
        cells = [record[f"versions {n}"][rule] for n in arguments.versions]  # type: ignore[index]
        lines.append(f"| {rule} | " + " | ".join(f"{c['complete']} ({c['different']})" for c in cells) + " |")
    (arguments.out / "study.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
