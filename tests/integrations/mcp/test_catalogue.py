"""The catalogue: complementary tools come in, only new texts are encoded, and answers are made from one moment."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from mcp.types import Tool

from coverset.arrays import Floats
from coverset.decoders import NNN, Decoder, Dense
from coverset.encoders import Encoder
from coverset.integrations.mcp.tool_index import Catalogue
from coverset.integrations.shelf import Shelf
from coverset.integrations.tool_shapes import text_of, words
from tests.integrations.mcp.servers.numbers import server as numbers
from tests.integrations.mcp.servers.words import server as texts


class Counting:
    """An encoder that notes which documents it has encoded."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self.encoded = encoder, list[str]()
        self.name, self.dim, self.fingerprint = encoder.name, encoder.dim, encoder.fingerprint

    def encode(self, texts: Sequence[str]) -> Floats:
        self.encoded += texts
        return self._encoder.encode(texts)

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        return self._encoder.encode_queries(texts)


def tool(name: str, description: str | None = None, *parameters: str) -> Tool:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    return Tool(name=name, description=description, input_schema={"type": "object", "properties": properties})


@pytest.mark.anyio
async def test_a_job_of_several_parts_is_covered_where_nearest_neighbours_leave_a_part_out(
    encoder: Encoder,
) -> None:
    jobs: list[tuple[Decoder, str, set[str]]] = [
        (
            NNN(),
            "the sine of an angle given in degrees, rounded to two decimal places",
            {"numbers/sine", "numbers/degrees_to_radians", "numbers/round_to_decimals"},
        ),
        (
            NNN(l1=0.1, l2=0.1),
            "convert a temperature to Fahrenheit and a distance to miles, and add up a list of numbers",
            {"numbers/celsius_to_fahrenheit", "numbers/kilometres_to_miles", "numbers/sum_of_numbers"},
        ),
        (
            NNN(l1=0.1, l2=0.1),
            "remove accents and punctuation from a title and percent-encode it for a web address",
            {"texts/remove_accents", "texts/remove_punctuation", "texts/url_encode"},
        ),
    ]
    nearest = await filled(Shelf(encoder, Dense(), share=0, parts=False))
    for decoder, job, needed in jobs:
        assert needed <= found(await filled(Shelf(encoder, decoder)), job, 5)
        assert not needed <= found(nearest, job, 5)


def found(catalogue: Catalogue, request: str, k: int) -> set[str]:
    return {found.name for found in catalogue.find(request, k).tools}


async def filled(shelf: Shelf) -> Catalogue:
    """The catalogue of both servers."""
    catalogue = Catalogue(shelf)
    catalogue.replace("numbers", await numbers.list_tools())
    catalogue.replace("texts", await texts.list_tools())
    return catalogue


def test_only_new_texts_are_encoded_also_when_a_server_comes_back(encoder: Encoder) -> None:
    counting = Counting(encoder)
    catalogue = Catalogue(Shelf(counting, NNN()))
    first, second = tool("add", "Sum of two numbers."), tool("sine", "Sine of an angle.")
    catalogue.replace("maths", [first])
    catalogue.replace("maths", [first, second])
    catalogue.replace("maths", [])
    assert catalogue.find("add", 5).tools == []
    catalogue.replace("maths", [second, first])
    assert counting.encoded == ["maths add: Sum of two numbers.", "maths sine: Sine of an angle."]
    catalogue.replace("maths", [tool("add", "Sum of three numbers.")])
    assert counting.encoded[2:] == ["maths add: Sum of three numbers."]
    assert catalogue.names == ["maths/add"]


def test_tools_of_the_same_name_on_two_servers_are_two_tools(encoder: Encoder) -> None:
    catalogue = Catalogue(Shelf(encoder, NNN()))
    catalogue.replace("mail", [tool("send", "Send a letter by e-mail.")])
    catalogue.replace("chat", [tool("send", "Send a message to a channel.")])
    entry = catalogue.get("chat/send")
    assert entry is not None
    assert entry.tool.description == "Send a message to a channel."
    assert found(catalogue, "send", 5) == {"mail/send", "chat/send"}
    assert catalogue.get("send") is None


def test_answers_are_whole_while_the_tools_change(encoder: Encoder) -> None:
    catalogue = Catalogue(Shelf(encoder, Dense()))
    generations = [[tool(f"t{n}_{m}", f"Tool {n} of {m}.") for n in range(4)] for m in range(8)]
    catalogue.replace("s", generations[0])
    seen: list[set[str]] = []

    def look() -> None:
        for _ in range(20):
            seen.append(found(catalogue, "tool", 4))

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for tools in generations:
        catalogue.replace("s", tools)
    for thread in threads:
        thread.join()
    wholes = [{f"s/{t.name}" for t in tools} for tools in generations]
    assert len(seen) == 40
    assert all(answer in wholes for answer in seen)


def test_the_text_of_a_tool_is_its_names_as_words_and_its_description() -> None:
    assert text_of(tool("createPullRequest", "Open a pull request."), "gitHub") == (
        "git hub create pull request: Open a pull request."
    )
    assert (
        text_of(tool("read_file", None, "file_path", "maxBytes"), "files")
        == "files read file: file path, max bytes"
    )
    assert text_of(tool("sync"), "files") == "files sync"
    assert words("HTTPServer-v2.restart/now") == "http server v2 restart now"
    assert words("数える_word") == "数える word"


def test_weights_are_the_decoders(encoder: Encoder) -> None:
    catalogue = Catalogue(Shelf(encoder, Dense(), share=0))
    catalogue.replace("s", [tool("add", "Sum of two numbers.")])
    (one,) = catalogue.find("sum", 3).tools
    weight = one.weight
    cosine = encoder.encode(["s add: Sum of two numbers."])[0] @ encoder.encode_queries(["sum"])[0]
    assert weight == pytest.approx(float(cosine), abs=1e-3)
    assert np.isfinite(weight)


def test_vectors_are_kept_by_text_and_requests_are_not(encoder: Encoder, tmp_path: Path) -> None:
    tools = [tool("add", "Sum of two numbers."), tool("sine", "Sine of an angle.")]
    first, second = Counting(encoder), Counting(encoder)
    for counting in (first, second):
        catalogue = Catalogue(Shelf(counting, NNN(), tmp_path))
        catalogue.replace("maths", tools)
        assert found(catalogue, "sine", 1) == {"maths/sine"}
    assert len(first.encoded) == 2
    assert second.encoded == []
    assert len(list(tmp_path.glob("*/*.npz"))) == 1


def test_the_other_tools_of_a_server_come_nearest_first(encoder: Encoder) -> None:
    catalogue = Catalogue(Shelf(encoder, NNN()))
    catalogue.replace("maths", [tool("add", "Sum."), tool("cosine", "Cosine of an angle."), tool("sine", "Sine.")])
    catalogue.replace("mail", [tool("send", "Send a letter.")])
    finding = catalogue.find("the sine of an angle", 1)
    assert [each.name for each in finding.tools] == ["maths/sine"]
    assert finding.siblings == ["maths/cosine", "maths/add"]


def test_tools_that_do_the_same_on_other_servers_are_named_as_alternatives(encoder: Encoder) -> None:
    catalogue = Catalogue(Shelf(encoder, NNN()))
    catalogue.replace("disk", [tool("read_file", "Read a file from the disk."), tool("format", "Erase a disk.")])
    catalogue.replace("cloud", [tool("readFile", "Read a file from the cloud."), tool("pay", "Pay the cloud.")])
    (one,) = catalogue.find("read a file from the disk", 1).tools
    assert one.name == "disk/read_file"
    assert one.alternatives == ["cloud/readFile"]
