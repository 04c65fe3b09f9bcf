"""The application: the API, the page, health and metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp

import coverset
from coverset.plain import Json
from coverset.retriever import Retriever
from coverset.server import schemas
from coverset.server.guard import Guard
from coverset.server.refusals import Refused, handle_errors
from coverset.server.routes import ReadRoute, Serving, reading, writing
from coverset.server.service import Service
from coverset.server.settings import Settings

STATIC = Path(__file__).parent / "static"
ABOUT = "Retrieve the set of documents that together cover a query, not the k that are each nearest to it."


def create_app(retriever: Retriever, settings: Settings) -> ASGIApp:
    """Return the application that serves a store."""
    service = Service(retriever, settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        service.start()
        yield
        await run_in_threadpool(service.stop)

    app = FastAPI(
        title="Coverset",
        version=coverset.__version__,
        description=ABOUT,
        lifespan=lifespan,
        docs_url=None,  # its pages come from another host
        redoc_url=None,
    )
    app.state.service = service
    handle_errors(app)
    for router in (reading, writing):
        app.include_router(router)
    _add_operations(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return Guard(app, service)


def _add_operations(app: FastAPI) -> None:
    """Add the page, and what operators look at."""
    not_ready: dict[int | str, Json] = {503: {"model": schemas.Problem, "description": "Not ready."}}

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    @app.get("/healthz", tags=["operate"])
    async def health() -> schemas.Health:
        """Say that the process is alive."""
        return schemas.Health(status="ok")

    @app.get("/readyz", tags=["operate"], responses=not_ready)
    async def ready(service: Serving) -> schemas.Health:
        """Say whether requests will be answered: 503 while it starts and while it stops."""
        status = service.status
        if status != "ok":
            raise Refused(503, "not_ready", f"the service is {status}", retry_after=1)
        return schemas.Health(status="ok")

    async def metrics(service: Serving) -> Response:
        """Return counts and times for Prometheus."""
        return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    app.router.add_api_route(
        "/metrics", metrics, tags=["operate"], response_class=Response, route_class_override=ReadRoute
    )
