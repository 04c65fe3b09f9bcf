"""The report on engines as tables."""

from __future__ import annotations

from typing import Any

from benchmarks.engines.common import L1, L2, LARGE, K


def markdown(report: dict[str, Any]) -> str:
    """The report as tables."""
    lines = [
        "| data | engine | exact | equal to memory | agreement | rounds | ms a query | certified "
        "| with `certify=True`: equal, certified |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for r in report.get("small", []):
        n = r["queries"]
        lines.append(
            f"| {r['data']} ({r['documents']}) | {r['engine']} | {'yes' if r['exact'] else 'no'} "
            f"| {r['equal']}/{n} | {r['agreement']:.3f} | {r['rounds']:.1f} | {r['ms']:.1f} "
            f"| {r['certified']}/{n} "
            f"| {r['equal_when_certifying']}/{n}, {r['certified_when_certifying']}/{n} |"
        )
    lines += [
        "",
        "| index | effort | best 100 of queries | best 100 of residuals | top-5 agreement | rounds "
        "| plain search ms | NNN ms | NNN / plain |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in report.get("large", []):
        lines.append(
            f"| {r['engine']} | {r['effort']} | {r['queries']:.3f} | {r['residuals']:.3f} | {r['agreement']:.3f} "
            f"| {r['rounds']:.1f} | {r['plain_ms']:.1f} | {r['nnn_ms']:.1f} | {r['ratio']:.1f} |"
        )
    lines += [
        "",
        "| Ray shards | certified | rounds | ms a query, batch | ms a query, one by one | kB out | kB back |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in report.get("shards", []):
        lines.append(
            f"| {r['shards']} | {r['certified']} | {r['rounds']:.1f} | {r['batch_ms']:.1f} | {r['single_ms']:.0f} "
            f"| {r['kilobytes_out']:.0f} | {r['kilobytes_back']:.0f} |"
        )
    lines += [
        "",
        f"l1 = {L1}, l2 = {L2}, k = {K}, on {report['cores']} cores, d = 384. Everything but the first table: "
        f"{LARGE:,} vectors, documents of real data sets repeated and perturbed. Bytes are per query, round.",
        "",
        "Made by `python -m benchmarks.engines --data FOLDER --keep BUILT --out benchmarks/results`.",
    ]
    return "\n".join(lines) + "\n"
