"""Prompts and resources of the servers behind, passed on.

A prompt is called `server/prompt`. A resource keeps its address, so that links in results lead to it; where two
servers have the same one, the later one's is `coverset://servers/SERVER/ADDRESS`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import quote, unquote

from mcp import MCPError
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.shared.uri_template import UriTemplate
from mcp.types import (
    INVALID_PARAMS,
    GetPromptResult,
    InputRequiredResult,
    Prompt,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from coverset.integrations.mcp.forwarding import Calling, get_prompt, read_resource
from coverset.integrations.mcp.limits import bounded_contents, bounded_messages
from coverset.integrations.mcp.upstream import Upstream

OWN = "coverset://servers/"


class Passing:
    """What the servers behind, by name, offer besides tools."""

    def __init__(self, upstreams: Mapping[str, Upstream]) -> None:
        self._upstreams = upstreams

    def prompts(self) -> list[Prompt]:
        """Return the prompts of all servers."""
        return [
            prompt.model_copy(update={"name": f"{upstream.name}/{prompt.name}"})
            for upstream in self._upstreams.values()
            for prompt in upstream.offer.prompts
        ]

    def resources(self) -> list[Resource]:
        """Return the resources of all servers, each under an address of its own."""
        return [
            resource.model_copy(update={"uri": uri, "name": f"{upstream.name}/{resource.name}"})
            for uri, (upstream, resource) in self._addresses().items()
        ]

    def templates(self) -> list[ResourceTemplate]:
        """Return the templates of all servers; of equal ones, the first."""
        found: dict[str, ResourceTemplate] = {}
        for upstream in self._upstreams.values():
            for template in upstream.offer.templates:
                named = template.model_copy(update={"name": f"{upstream.name}/{template.name}"})
                found.setdefault(template.uri_template, named)
        return list(found.values())

    async def prompt(
        self, name: str, arguments: dict[str, str] | None, context: Calling
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt of a server, filled in."""
        server, _, prompt = name.partition("/")
        upstream = self._upstreams.get(server)
        if upstream is None or all(each.name != prompt for each in upstream.offer.prompts):
            raise MCPError(INVALID_PARAMS, f"there is no prompt {name!r}")
        try:
            result = await upstream.ask(context, lambda client: get_prompt(client, prompt, arguments, context))
        except ToolError as error:
            raise ValueError(str(error)) from error
        return bounded_messages(result, upstream.limits) if isinstance(result, GetPromptResult) else result

    async def read(self, uri: str, context: Calling) -> list[ReadResourceContents] | InputRequiredResult:
        """Return a resource of a server."""
        upstream, address = self._owner(uri)
        try:
            result = await upstream.ask(context, lambda client: read_resource(client, address, context))
        except ToolError as error:
            raise ResourceError(str(error)) from error
        if isinstance(result, InputRequiredResult):
            return result
        contents = []
        for each in bounded_contents(result.contents, upstream.limits):
            try:
                content: str | bytes = (
                    each.text
                    if isinstance(each, TextResourceContents)
                    else base64.b64decode(each.blob, validate=True)
                )
            except binascii.Error as error:
                raise ResourceError(f"the server {upstream.name!r} sent what is not base64") from error
            contents.append(ReadResourceContents(content=content, mime_type=each.mime_type, meta=each.meta))
        return contents

    def _addresses(self) -> dict[str, tuple[Upstream, Resource]]:
        found: dict[str, tuple[Upstream, Resource]] = {}
        for upstream in self._upstreams.values():
            for resource in upstream.offer.resources:
                uri = (
                    resource.uri
                    if resource.uri not in found
                    else f"{OWN}{upstream.name}/{quote(resource.uri, '')}"
                )
                found[uri] = (upstream, resource)
        return found

    def _owner(self, uri: str) -> tuple[Upstream, str]:
        """Return the server that has a resource, and its address there."""
        if uri.startswith(OWN):
            server, _, address = uri[len(OWN) :].partition("/")
            if server in self._upstreams:
                return self._upstreams[server], unquote(address)
        found = self._addresses().get(uri)
        if found is not None:
            return found[0], found[1].uri
        for upstream in self._upstreams.values():
            if any(_fits(template.uri_template, uri) for template in upstream.offer.templates):
                return upstream, uri
        raise ResourceNotFoundError(f"there is no resource {uri!r}")


def _fits(template: str, uri: str) -> bool:
    try:
        return UriTemplate.parse(template).match(uri) is not None
    except ValueError:
        return False
