"""The API, version 1: what can be asked, and by whom."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Path, Request, Response, Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.convertors import StringConvertor, register_url_convertor

from coverset.plain import Foreign, Json
from coverset.server import compared, schemas
from coverset.server.keys import Scope
from coverset.server.refusals import Refused
from coverset.server.service import Service
from coverset.server.settings import LONGEST_ID

Result = TypeVar("Result")
DocumentId = Annotated[str, Path(min_length=1, max_length=LONGEST_ID, examples=["np.sort"])]

MEANINGS = {
    400: "Not JSON, or not as HTTP has it.",
    401: "An API key is needed, as `Authorization: Bearer KEY`.",
    403: "The key may not do this, or the request comes from another site's page.",
    408: "The body took too long to arrive.",
    413: "The body is too large.",
    422: "The request is not as the schema has it.",
    429: "Too many requests at a time; `Retry-After` says when to come back.",
    500: "A fault of the service.",
    502: "The encoder is at fault.",
    503: "No answer in time, not ready, or the store's files cannot be used.",
    507: "There is no room for what was to be written.",
}
RESPONSES: dict[int | str, Json] = {
    status: {"model": schemas.Problem, "description": meaning} for status, meaning in MEANINGS.items()
}
BEARER = HTTPBearer(auto_error=False, description="An API key with the scope `read` or `write`.")


async def service_of(request: Request) -> Service:
    """Return the service that a request came to."""
    service: Service = request.app.state.service
    return service


Serving = Annotated[Service, Depends(service_of)]


class StrictRequest(Request):
    """A request whose body must be JSON as the standard has it: no NaN, no broken Unicode."""

    async def json(self) -> Foreign:
        """Return the body."""
        body = await self.body()
        try:
            value = json.loads(body, parse_constant=_not_json)
            if b"\\u" in body:
                # Half of a character that takes two escapes is a string to Python, but to nobody else.
                json.dumps(value, ensure_ascii=False).encode()
            return value
        except (ValueError, RecursionError) as error:
            what = "it is nested too deeply" if isinstance(error, RecursionError) else "it cannot be read"
            raise Refused(400, "bad_request", f"the body must be JSON: {what}") from error


class IdConvertor(StringConvertor):
    """An id in a path: whatever is left of it, slashes and line breaks included."""

    regex = r"[\s\S]+"


register_url_convertor("id", IdConvertor())


class ReadRoute(APIRoute):
    """A route that asks for a key before it reads the body."""

    scope: Scope = "read"

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, behind the check."""
        handle = super().get_route_handler()

        async def checked(request: Request) -> Response:
            (await service_of(request)).admit(request.headers.get("authorization"), self.scope)
            return await handle(StrictRequest(request.scope, request.receive))

        return checked


class WriteRoute(ReadRoute):
    """A route for those who may write."""

    scope: Scope = "write"


SECURED = [Security(BEARER)]
reading = APIRouter(prefix="/v1", route_class=ReadRoute, dependencies=SECURED, responses=RESPONSES, tags=["read"])
writing = APIRouter(
    prefix="/v1", route_class=WriteRoute, dependencies=SECURED, responses=RESPONSES, tags=["write"]
)
MISSING: dict[int | str, Json] = {404: {"model": schemas.Problem, "description": "There is none."}}


@reading.post("/search")
async def search(service: Serving, body: schemas.Search) -> schemas.Answer:
    """Return the documents that together cover a query."""
    return (await service.read(lambda: service.store.search(body)))[0]


@reading.post("/search/batch")
async def search_batch(service: Serving, body: schemas.SearchBatch) -> schemas.Answers:
    """Answer several queries from the same version of the store."""
    return schemas.Answers.model_construct(answers=await service.read(lambda: service.store.search(body)))


@reading.post("/compare")
async def compare(service: Serving, body: compared.Compare) -> compared.Comparison:
    """Answer one query by Dense, MMR and NNN, and say what sets them apart."""
    return await service.read(lambda: service.store.compare(body))


@reading.get("/store")
async def store(service: Serving) -> schemas.Store:
    """Say what is being served."""
    return await service.read(service.store.about)


@reading.get("/default")
async def default(service: Serving) -> schemas.Default:
    """Return the decoder that searches use unless they say otherwise."""
    return (await service.read(service.store.about)).default


@reading.get("/documents/{id:id}", responses=MISSING)
async def get_document(service: Serving, id: DocumentId) -> schemas.Document:  # noqa: A002
    """Return a document."""
    found = await service.read(lambda: service.store.get(id))
    if found is None:
        raise Refused(404, "not_found", "there is no document with this id")
    return found


@writing.post("/documents")
async def upsert(service: Serving, body: schemas.Upsert) -> schemas.Changed:
    """Add documents, or replace those whose id is already there; the answer means that they are on disk."""
    return await service.write(lambda: service.store.upsert(body.documents))


@writing.post("/documents/delete")
async def delete_documents(service: Serving, body: schemas.Delete) -> schemas.Changed:
    """Delete documents; ids that are not there are no error."""
    return await service.write(lambda: service.store.delete(body.ids))


@writing.delete("/documents/{id:id}", responses=MISSING)
async def delete_document(service: Serving, id: DocumentId) -> schemas.Changed:  # noqa: A002
    """Delete a document."""
    changed = await service.write(lambda: service.store.delete([id]))
    if not changed.changed:
        raise Refused(404, "not_found", "there is no document with this id")
    return changed


@writing.put("/default")
async def configure(service: Serving, body: schemas.Default) -> schemas.Default:
    """Make a decoder the store's own."""
    return await service.write(lambda: service.store.configure(body))


@writing.post("/default/tune")
async def tune(service: Serving, body: schemas.Tune) -> schemas.Tuned:
    """Choose NNN's l1 and l2 by labelled examples."""
    return await service.write(lambda: service.store.tune(body), service.settings.tuning_timeout)


def _not_json(name: str) -> Foreign:
    raise ValueError(name)
