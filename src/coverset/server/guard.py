"""What happens to every request before and after the application: limits, headers, a log line, a count."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coverset.plain import Json
from coverset.server.logs import LOG
from coverset.server.refusals import error_body
from coverset.server.service import Service

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
# Of a body that is too large, so much is read and thrown away, so that the sender gets to read the answer.
DRAINED = 256 * 2**20
# Whoever has not sent its body, or too much of it, has to begin anew.
CLOSE = {"Connection": "close"}


class Guard:
    """Wraps the application; what uvicorn runs."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request (or the application's start and end)."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = Exchange(scope, receive, send, self.service)
        try:
            if trouble := self._another_site(exchange.headers):
                await exchange.refuse(403, "another_site", trouble)
            else:
                await self.app(scope, exchange.receive, exchange.send)
        except Exception:
            # The application has already answered with 500; what is left is to say where it happened.
            LOG.exception("failed", extra={"fields": {"request": exchange.name}})
            if not exchange.status:
                await exchange.refuse(500, "internal", "the service failed to answer; its log says more")
        finally:
            exchange.finish()

    def _another_site(self, headers: dict[str, str]) -> str:
        """Say what is wrong with a request that another site's page has made through a user's browser.

        Without keys, being on this machine is all that is asked of a client, and a browser on this machine
        also runs the pages of strangers. With keys there is nothing to be had without one.
        """
        if self.service.settings.keys:
            return ""
        host = headers.get("host", "")
        if self.service.settings.local and _name(host) not in LOOPBACK:
            return "without API keys, this service answers only as localhost"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return "without API keys, this service does not answer the pages of other sites"
        return ""


class Exchange:
    """One request and its answer, on their way through."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, service: Service) -> None:
        self.scope, self._receive, self._send, self.service = scope, receive, send, service
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self.name = secrets.token_hex(8)
        self.start, self.status, self.bytes_in, self.bytes_out = time.perf_counter(), 0, 0, 0

    async def receive(self) -> Message:
        """Hand on a part of the body, unless it is too large or too late."""
        if self.status:
            return await self._receive()
        try:
            message = await self._in_time()
        except (asyncio.TimeoutError, TimeoutError) as error:
            raise HTTPException(408, "the body took too long to arrive", CLOSE) from error
        self.bytes_in += len(message.get("body", b""))
        if self.bytes_in > self.service.settings.body:
            await self._drain(message)
            raise HTTPException(413, f"the body must have at most {self.service.settings.body} bytes", CLOSE)
        return message

    async def send(self, message: Message) -> None:
        """Hand on a part of the answer, with our headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = {**HEADERS, "X-Request-Id": self.name}
            message["headers"] = [
                *message.get("headers", []),
                *((name.lower().encode(), value.encode()) for name, value in own.items()),
            ]
        else:
            self.bytes_out += len(message.get("body", b""))
        await self._send(message)

    async def refuse(self, status: int, code: str, message: str) -> None:
        """Answer with an error."""
        body = json.dumps(error_body(code, message)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    def finish(self) -> None:
        """Log and count."""
        seconds = time.perf_counter() - self.start
        # The route, not the path: ids are in paths.
        route = getattr(self.scope.get("route"), "path", "none")
        method = self.scope["method"] if self.scope["method"] in METHODS else "other"
        self.service.metrics.requests.labels(method, route, str(self.status)).inc()
        self.service.metrics.seconds.labels(route).observe(seconds)
        fields: Json = {
            "request": self.name,
            "method": method,
            "route": route,
            "status": self.status,
            "ms": round(1000 * seconds, 1),
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
        }
        LOG.info("request", extra={"fields": fields})

    async def _in_time(self) -> Message:
        """Return the next part of the body; all of them together have as long as the request has."""
        left = self.start + self.service.settings.timeout - time.perf_counter()
        return await asyncio.wait_for(self._receive(), left)

    async def _drain(self, message: Message) -> None:
        seen = self.bytes_in
        with suppress(asyncio.TimeoutError, TimeoutError):
            while message.get("more_body") and seen < DRAINED:
                message = await self._in_time()
                seen += len(message.get("body", b""))


METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"}


def _name(host: str) -> str | None:
    """Return the name or address in a Host header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
