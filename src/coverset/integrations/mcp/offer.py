"""What a server has to offer: its tools, prompts and resources, listed to the last page and within limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import TypeVar

from mcp import Client, MCPError
from mcp.client.subscriptions import ListenNotSupportedError
from mcp.types import METHOD_NOT_FOUND, PaginatedResult, Prompt, Resource, ResourceTemplate, Tool

from coverset.integrations.mcp.limits import Limits, Listed, bounded

# A list that never ends is cut.
PAGES = 100

Page = TypeVar("Page", bound=PaginatedResult)


@dataclass(frozen=True)
class Offer:
    """What a server offers at one moment; `left_out` says what it lists and cannot be used, and why."""

    tools: tuple[Tool, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    resources: tuple[Resource, ...] = ()
    templates: tuple[ResourceTemplate, ...] = ()
    left_out: tuple[str, ...] = ()


async def list_offer(client: Client, limits: Limits, left_out: dict[str, list[str]]) -> Offer:
    """Return what a server offers. `left_out` is where the screen notes what it took out meanwhile."""
    left_out.clear()
    has = client.server_capabilities
    return Offer(
        await _all(has.tools, client.list_tools, lambda page: page.tools, limits),
        await _all(has.prompts, client.list_prompts, lambda page: page.prompts, limits),
        await _all(has.resources, client.list_resources, lambda page: page.resources, limits),
        await _all(has.resources, client.list_resource_templates, lambda page: page.resource_templates, limits),
        tuple(reason for reasons in left_out.values() for reason in reasons)[:100],
    )


async def subscribe(client: Client, stack: AsyncExitStack) -> None:
    """Ask to be told of changes: since 2026-07-28, servers only tell those who listen; before, anyone."""
    has = client.server_capabilities
    tools = has.tools is not None and bool(has.tools.list_changed)
    prompts = has.prompts is not None and bool(has.prompts.list_changed)
    resources = has.resources is not None and bool(has.resources.list_changed)
    if tools or prompts or resources:
        with suppress(ListenNotSupportedError):
            listening = client.listen(
                tools_list_changed=tools, prompts_list_changed=prompts, resources_list_changed=resources
            )
            await stack.enter_async_context(listening)


async def _all(
    has: object, fetch: Callable[..., Awaitable[Page]], items: Callable[[Page], list[Listed]], limits: Limits
) -> tuple[Listed, ...]:
    """Return a list page by page; none if the server does not have it, or says so and then does not know it."""
    found: list[Listed] = []
    cursor: str | None = None
    for _ in range(PAGES if has is not None else 0):
        try:
            page = await fetch(cursor=cursor)
        except MCPError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            break
        found += items(page)
        cursor = page.next_cursor
        if cursor is None or len(found) >= limits.listed:
            break
    return tuple(bounded(item, limits) for item in found[: limits.listed])
