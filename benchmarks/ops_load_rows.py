"""Rows of the OPS benchmark: growth and cost of a match at a million, memory, changes, parsing, loading, the start."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import cache
from typing import Any

from benchmarks.competitors import parse_with_rdflib
from benchmarks.measuring import cpu, progress, run_child, summary
from benchmarks.ops_common import Result, bulk_load, judge
from benchmarks.workloads import Shop, shapes
from semantic_pubsub import OpsMatcher, Subscription

__all__ = ["bulk", "changes", "first_match", "growth", "memory", "parsing", "per_match", "process_memory"]

CHILDREN = "benchmarks.ops_children"
MEGA = 1e6


@cache
def _shop(small: int, large: int) -> dict[str, Any]:
    """Three rows ask for the same loaded process: it runs once."""
    return run_child(CHILDREN, ["shop", small, large])


def growth(small: int, large: int) -> Iterator[Result]:
    """How the time of an event grows with the subscriptions at a match rate of 0.015 %."""
    found = _shop(small, large)
    first, last = summary(found["small_s"]), summary(found["large_s"])
    grown = statistics.fmean(found["large_s"]) / statistics.fmean(found["small_s"])
    yield Result(
        f"shop, growth from S = {small:,} to {large:,} at 0.015 %",
        f"{first.text()} with {found['small_matches']:.1f} matches, then {last.text()} with "
        f"{found['large_matches']:.1f}; {found['small_agreed'] + found['large_agreed']:,} answers agree",
        f"grows {grown:.2f}x",
        "10x",
        "7x",
        judge(grown, 10, 7, higher=False),
        {"small_s": first.median, "large_s": last.median, "growth": grown},
    )


def process_memory(small: int, large: int) -> Iterator[Result]:
    """The memory of a whole process with all subscriptions loaded."""
    found = _shop(small, large)
    resident = found["resident"] / 1e9
    yield Result(
        f"process memory with S = {large:,} (shop)",
        f"{resident:.2f} GB now, {found['peak'] / 1e9:.2f} GB at most; loaded in {found['large_load_s']:.0f} s",
        "",
        "1.5 GB",
        "0.6 GB",
        judge(resident, 1.5, 0.6, higher=False),
        {"resident": found["resident"], "peak": found["peak"]},
    )


def changes(small: int, large: int) -> Iterator[Result]:
    """Adding (without parsing) and removing at full size."""
    found = _shop(small, large)
    for name, must, aim in (("add", 60, 15), ("remove", 10, 2)):
        times = found[f"{name}_s"]
        yield Result(
            f"{name}, median at S = {large:,}",
            f"{times['median'] * MEGA:.1f} µs (99 %: {times['p99'] * MEGA:.1f} µs)",
            "",
            f"{must} µs",
            f"{aim} µs",
            judge(times["median"] * MEGA, must, aim, higher=False),
            {"ours_s": times["median"]},
        )
    worst = max(found["add_s"]["worst"], found["remove_s"]["worst"])
    yield Result(
        f"add and remove, worst of 20,000 each at S = {large:,}",
        f"add {found['add_s']['worst'] * 1e3:.2f} ms, remove {found['remove_s']['worst'] * 1e3:.2f} ms",
        "",
        "5 ms",
        "1 ms",
        judge(worst * 1e3, 5, 1, higher=False),
        {"ours_s": worst},
    )


def per_match(size: int) -> Iterator[Result]:
    """What a match costs where there are many."""
    found = run_child(CHILDREN, ["sec6", size])
    each = [s / m * 1e9 for s, m in zip(found["seconds"], found["matches"], strict=True) if m]
    # In the mean over all events: one with few matches would count as much as one with many.
    nanoseconds = sum(found["seconds"]) / sum(found["matches"]) * 1e9
    yield Result(
        f"sec6, nanoseconds a match at S = {size:,}",
        f"{summary(found['seconds']).text()} with {statistics.fmean(found['matches']):,.0f} matches; by event "
        f"{summary(each).text(1, 'ns')}; {found['resident'] / 1e9:.2f} GB; {found['agreed']:,} answers agree",
        f"{nanoseconds:,.0f} ns",
        "800 ns",
        "400 ns",
        judge(nanoseconds, 800, 400, higher=False),
        {"ns_each": nanoseconds, "ours_s": summary(found["seconds"]).median},
    )


def memory(size: int) -> Iterator[Result]:
    """What one subscription adds to the process, its id included."""
    each = run_child(CHILDREN, ["memory", size])["bytes_each"]
    verdict = judge(each, 300, 150, higher=False)
    what = f"index memory a subscription at S = {size:,} (shop), ids included"
    yield Result(what, f"{each:.0f} B", "", "300 B", "150 B", verdict, {"bytes_each": each})


def parsing(number: int) -> Iterator[Result]:
    """Texts that all differ in shape; rdflib stops at a parse tree, ours gives the checked algebra."""
    texts = list(shapes(number + 20))
    progress(f"parsing {number} texts of different shapes")
    ours, theirs = [], []
    for place, text in enumerate(texts):
        mine = min(cpu(Subscription.parse, text)[0] for _ in range(3))
        other = min(cpu(parse_with_rdflib, text)[0] for _ in range(3))
        if place >= 20:  # neither side pays for its first use
            ours.append(mine)
            theirs.append(other)
    ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
    yield Result(
        f"Subscription.parse, {number} different shapes, against rdflib's SPARQL parser",
        f"{summary(ours).text(1e-6, 'µs')}; rdflib {summary(theirs).text()}",
        f"{ratio:.0f}x",
        "20x",
        "60x",
        judge(ratio, 20, 60, higher=True),
        {"ours_s": summary(ours).median, "peer_s": summary(theirs).median, "ratio": ratio},
    )


def bulk(size: int) -> Iterator[Result]:
    """From texts to an index that can match, beside rdflib's parser on some of the texts."""
    workload = Shop()
    texts = list(workload.subscriptions(size))
    bulk_load(OpsMatcher(workload.ontology()), texts[:500])  # neither side pays for its first use
    matcher = OpsMatcher(workload.ontology())
    progress(f"bulk load of {size:,} texts from {len(workload.templates)} templates")
    ours = cpu(bulk_load, matcher, texts)[0] / size
    if len(matcher) != size:
        raise AssertionError("some subscriptions were not loaded")
    theirs = [cpu(parse_with_rdflib, text)[0] for _, text in texts[: min(size, 320)]][20:]
    ratio = statistics.fmean(theirs) / ours
    yield Result(
        f"bulk load of {size:,} texts from {len(workload.templates)} templates, against rdflib's parser alone",
        f"{ours * MEGA:.1f} µs each; rdflib {summary(theirs).text()}",
        f"{ratio:,.0f}x",
        "200x",
        "1,000x",
        judge(ratio, 200, 1_000, higher=True),
        {"ours_s": ours, "peer_s": statistics.fmean(theirs), "ratio": ratio},
    )


def first_match() -> Iterator[Result]:
    """A fresh process with a warm kernel cache, from the start of the interpreter to the first ids."""
    progress("fresh processes")
    run_child(CHILDREN, ["first"])
    runs = [run_child(CHILDREN, ["first"]) for _ in range(3)]
    total = statistics.median(run["total_s"] for run in runs)
    parts = {name: statistics.median(run[name] for run in runs) for name in ("import_s", "ready_s", "wall_s")}
    yield Result(
        "first match in a fresh process, warm kernel cache",
        f"{total:.2f} s CPU ({parts['wall_s']:.2f} s by the clock): imports {parts['import_s']:.2f}, ontology and 100 "
        f"subscriptions {parts['ready_s'] - parts['import_s']:.2f}, match {total - parts['ready_s']:.2f}",
        "",
        "2 s",
        "1 s",
        judge(total, 2, 1, higher=False),
        {"ours_s": total},
    )
