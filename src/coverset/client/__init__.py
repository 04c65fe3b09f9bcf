"""A store behind a service, used as a Retriever is: `coverset.Client(url, key)`, and AsyncClient."""

from coverset.client.calls import Reply
from coverset.client.clients import AsyncClient, Client

__all__ = ["AsyncClient", "Client", "Reply"]
