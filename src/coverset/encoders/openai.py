"""Models behind an OpenAI-compatible API: OpenAI's own, and the many servers that speak the same."""

from __future__ import annotations

import os
import time

from coverset.encoders.function import FunctionEncoder
from coverset.extras import require
from coverset.inputs import as_count
from coverset.plain import Foreign, Json

HOME = "https://api.openai.com/v1"
DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
# What may go well the next time: too many requests, and troubles of the server.
PASSING = {408, 409, 429, 500, 502, 503, 504}
# Seconds to wait at most before another attempt, whatever the server asks for.
LONGEST = 60.0


class OpenAIEncoder(FunctionEncoder):
    """Encode texts with a model behind an OpenAI-compatible API.

    The key is read from the environment, OPENAI_API_KEY, when a request is made, and kept nowhere.

    Parameters
    ----------
    model
        Name of the model.
    url
        Where the API is; default: OPENAI_BASE_URL, or OpenAI itself.
    dim
        Width of the vectors, for models that can shorten them. Default: the model's own; of a model that is
        not known here, the API is asked.
    batch
        How many texts go into a request.
    retries
        How often a request is repeated that failed in passing, with longer and longer pauses.
    timeout
        How long to wait for an answer, in seconds.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        url: str | None = None,
        dim: int | None = None,
        batch: int = 128,
        retries: int = 5,
        timeout: float = 60.0,
    ) -> None:
        self._client = require("httpx", "openai").Client(timeout=timeout)
        self._model, self._retries = model, retries
        self._url = (url or os.environ.get("OPENAI_BASE_URL") or HOME).rstrip("/") + "/embeddings"
        self._shortened = as_count("dim", dim, optional=True)
        width = self._shortened or DIMENSIONS.get(model) or len(self._request(["width"])[0])
        super().__init__(
            self._request, name=f"openai:{model}", dim=width, fingerprint=f"{model}/{width}", batch=batch
        )

    def _request(self, texts: list[str]) -> list[list[float]]:
        """Ask the API for the vectors of some texts, again if it fails in passing."""
        asked: Json = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._shortened is not None:
            asked["dimensions"] = self._shortened
        transport: type[Exception] = require("httpx", "openai").TransportError
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                answer = self._client.post(self._url, json=asked, headers=self._headers())
            except transport as error:
                if last:
                    raise ConnectionError(f"{self._url} cannot be reached: {error!r}") from error
                time.sleep(_pause(attempt, None))
                continue
            if answer.status_code == 200:
                return self._vectors(answer, len(texts))
            if last or answer.status_code not in PASSING:
                raise RuntimeError(f"{self._url} answers with {answer.status_code}: {answer.text[:500]}")
            time.sleep(_pause(attempt, answer.headers.get("retry-after")))
        raise AssertionError

    def _headers(self) -> dict[str, str]:
        key = os.environ.get("OPENAI_API_KEY")
        if not key and self._url.startswith(HOME):
            raise ValueError("OPENAI_API_KEY must be set in the environment for models of OpenAI")
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _vectors(self, answer: Foreign, count: int) -> list[list[float]]:
        """Return the vectors of an answer in the order of the texts."""
        try:
            found = sorted(answer.json()["data"], key=lambda item: int(item["index"]))
            if [item["index"] for item in found] == list(range(count)):
                return [item["embedding"] for item in found]
        except (ValueError, KeyError, TypeError):
            pass
        raise RuntimeError(f"{self._url} answers with something else than {count} embeddings: {answer.text[:200]}")


def _pause(attempt: int, asked: str | None) -> float:
    """Return how long to wait before the next attempt: what the server asks for, or ever longer."""
    try:
        return min(max(float(asked or ""), 0.0), LONGEST)
    except ValueError:
        return min(0.5 * 2.0**attempt, LONGEST)
