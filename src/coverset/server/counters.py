"""Counts and times for Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.process_collector import ProcessCollector

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What the service counts, in a registry of its own, so that two services in a process do not mix."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "coverset_requests", "Requests answered.", ("method", "route", "status"), registry=registry
        )
        self.seconds = Histogram(
            "coverset_request_seconds", "Time to answer.", ("route",), buckets=BUCKETS, registry=registry
        )
        self.decoding = Histogram(
            "coverset_decode_seconds", "Time to decode.", ("decoder",), buckets=BUCKETS, registry=registry
        )
        self.uncertified = Counter(
            "coverset_uncertified", "NNN answers that were to be certified and are not.", registry=registry
        )
        ProcessCollector(registry=registry)

    def gauge(self, name: str, what: str, value: Callable[[], float]) -> None:
        """Add a gauge that is read when it is asked for."""
        Gauge(name, what, registry=self.registry).set_function(value)
