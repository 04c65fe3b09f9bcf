"""How the service says no: one shape for every error, and never a word about what is inside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from coverset.encoders import EncoderError
from coverset.plain import Json
from coverset.store.errors import NO_ROOM, BusyStoreError, StorageError

CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 408: "timeout", 413: "too_large"}


class Refused(HTTPException):
    """An answer that is an error: its status, a code for programs, and a message for people."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: int | None = None) -> None:
        headers = {"Retry-After": str(retry_after)} if retry_after is not None else {}
        if status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        super().__init__(status, message, headers)
        self.code = code


@contextmanager
def bad_input() -> Iterator[None]:
    """Turn the library's word on bad input into a 422, and what is no fault of the client into a 5xx."""
    try:
        yield
    except BusyStoreError as error:
        raise Refused(503, "busy", "another process is writing to the store: try again", retry_after=5) from error
    except StorageError as error:
        # Not the message: it names the store's folder.
        what = os.strerror(error.errno) if error.errno else "refused"
        if error.errno in NO_ROOM:
            raise Refused(507, "no_room", f"nothing was written: {what}") from error
        raise Refused(503, "storage", f"the store's files cannot be used: {what}", retry_after=5) from error
    except EncoderError as error:
        raise Refused(502, "encoder", str(error)) from error
    except ValueError as error:
        raise Refused(422, "invalid", str(error)) from error


def handle_errors(app: FastAPI) -> None:
    """Give every error of the application the one shape."""
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _broken)


def error_body(code: str, message: str) -> Json:
    """Return an error as plain data."""
    return {"error": {"code": code, "message": message}}


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = error.code if isinstance(error, Refused) else CODES.get(error.status_code, "refused")
    return JSONResponse(error_body(code, _plain(error.detail)), error.status_code, error.headers)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Say which fields are wrong and how, but not what was in them: NaN, say, could not be written as JSON."""
    assert isinstance(error, RequestValidationError)
    if "json" not in (kind := request.headers.get("content-type", "json")) and request.method != "GET":
        # What `curl -d` says unless it is told otherwise.
        told = f"the body must be sent as JSON: curl -H 'Content-Type: application/json' -d ..., got {kind:.100}"
        return JSONResponse(error_body("invalid", _plain(told)), 422)
    wrong = [f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()[:10]]
    return JSONResponse(error_body("invalid", _plain("; ".join(wrong))), 422)


async def _broken(_request: Request, _error: Exception) -> JSONResponse:
    return JSONResponse(error_body("internal", "the service failed to answer; its log says more"), 500)


def _plain(message: object) -> str:
    """Return a message that can be written, whatever the characters in it."""
    return str(message).encode("utf-8", "replace").decode()[:2000]
