"""Out of many tools, the few that a request needs: for any agent loop, in whatever shape its tools are.

from coverset.integrations.tools import choose_tools

client.chat.completions.create(messages=messages, tools=choose_tools(request, tools, k=5), ...)

No language model is asked. Vectors of tools are kept by text, in memory and on disk.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypedDict, TypeVar

from coverset.decoders import NNN, Decoder
from coverset.encoders import load_encoder
from coverset.encoders.cache import default_folder
from coverset.encoders.encoder import Encoder
from coverset.inputs import as_count
from coverset.integrations.shelf import Shelf, Shelved, as_steps
from coverset.integrations.tool_shapes import text_of, tool_name

T = TypeVar("T")


class ChosenTools(list[T]):
    """Tools that were chosen, a list like any other, which also says what each is for.

    Attributes
    ----------
    steps
        For each step, the names of the tools that serve it.
    answered
        False: none of them seems to do what the request, or any of its steps, asks for. They are the nearest.
    """

    def __init__(
        self, tools: Iterable[T], steps: dict[str, list[str]] | None = None, *, answered: bool = True
    ) -> None:
        super().__init__(tools)
        self.steps, self.answered = steps or {}, answered

    @property
    def unserved(self) -> list[str]:
        """The steps that none of the tools serves."""
        return [step for step, names in self.steps.items() if not names]


class Choosing(TypedDict, total=False):
    """What `ToolChooser` takes beside k, and with it whatever hands tools to the model of a framework."""

    always: Iterable[str]
    encoder: Encoder | None
    decoder: Decoder | None


# Lists of tools that stay indexed, and choosers of `choose_tools`.
REMEMBERED = 8


class ToolChooser:
    """Chooses tools for requests, and remembers what it has encoded.

    Parameters
    ----------
    k
        How many tools to choose; for a plan of more steps, as many as it has.
    always
        Names of tools that come along in any case, beside the k.
    encoder
        Makes vectors; default: the one that comes along.
    decoder
        Picks; default: NNN.
    """

    def __init__(
        self,
        k: int = 5,
        *,
        always: Iterable[str] = (),
        encoder: Encoder | None = None,
        decoder: Decoder | None = None,
    ) -> None:
        if isinstance(always, str):
            raise ValueError(f"always must be names of tools, as [{always!r}], got the string {always!r}")
        self.k, self.always = as_count("k", k), frozenset(always)
        self._encoder, self._decoder = encoder, decoder or NNN()
        self._shelf: Shelf | None = None
        self._shelved: dict[tuple[str, ...], Shelved] = {}
        self._lock = threading.Lock()

    def choose(
        self, request: str, tools: Sequence[T], steps: Sequence[str] | None = None, *, keep: Iterable[str] = ()
    ) -> ChosenTools[T]:
        """Return those of the tools that a request needs: first those that always come along, then best first.

        As `choose_tools`; what has no name, as tools that a provider runs itself, always comes along, and so do
        those named in `keep`, as those called already. Without a request and steps, as where a turn of an agent is
        a picture, all tools are returned.
        """
        names = [tool_name(tool) for tool in tools]
        unknown = sorted(self.always.difference(name for name in names if name))
        if unknown:
            raise ValueError(f"always names tools that are not among the tools: {', '.join(unknown)}")
        fixed = self.always.union(keep)
        stay = [tool for tool, name in zip(tools, names, strict=True) if name is None or name in fixed]
        rest = [tool for tool, name in zip(tools, names, strict=True) if name is not None and name not in fixed]
        plan = as_steps(steps or ())
        if not rest or not (plan or request.strip()) or (len(rest) <= self.k and not plan):
            return ChosenTools(tools, {step: [] for step in plan}, answered=bool(tools))
        whole = request if request.strip() else "; ".join(plan)
        choice = self._index(tuple(text_of(tool) for tool in rest)).choose(whole, self.k, plan)
        named = [[tool_name(rest[i]) or "" for i in serving] for serving in choice.steps]
        chosen = [*stay, *(rest[i] for i in choice.ids)]
        return ChosenTools(chosen, dict(zip(plan, named, strict=True)), answered=choice.answered)

    def _index(self, texts: tuple[str, ...]) -> Shelved:
        with self._lock:
            if self._shelf is None:
                encoder = self._encoder or load_encoder()
                self._shelf = Shelf(encoder, self._decoder, default_folder() / "tools")
            shelved = self._shelved.pop(texts, None) or self._shelf.put(texts)
            self._shelved[texts] = shelved
            while len(self._shelved) > REMEMBERED:
                self._shelved.pop(next(iter(self._shelved)))
            return shelved


@lru_cache(maxsize=REMEMBERED)
def _chooser(k: int) -> ToolChooser:
    return ToolChooser(k)


def choose_tools(
    request: str, tools: Sequence[T], k: int = 5, steps: Sequence[str] | None = None
) -> ChosenTools[T]:
    """Return the k tools that together do what a request asks for, best first.

    With steps, the answer's `steps` says which tool serves which, and its `unserved` which of them none serves.
    Its `answered` is false where nothing among the tools seems to do what is asked for.

    Parameters
    ----------
    request
        What is to be done, in plain words, with all of its steps; it may be empty where there are steps.
    tools
        All tools: dicts in OpenAI's (chat or responses), Anthropic's or MCP's shape, or any objects with a name
        and a description. They are returned as they are.
    k
        How many tools; for a plan of more steps, as many as it has.
    steps
        What each tool is to do, if that is known; steps find tools far better than the request alone.
    """
    chooser = _chooser(as_count("k", k))
    if not steps and not request.strip():
        raise ValueError("request must not be empty without steps: say in plain words what is to be done")
    return chooser.choose(request, tools, steps)
