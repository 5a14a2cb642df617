"""How long a subscription takes to parse, beside rdflib's SPARQL parser on the same texts.

    python -m benchmarks.parsing [--texts 300] [--seed 7] [--repeat 3]

The texts are drawn: six triples, prefixes and a filter each, in shapes that all differ (who hangs on whom, `;` and
`,`, brackets, sequence paths, kinds of filters). Times are CPU time of one text, the best of `--repeat` runs (the
others hold noise), then the median over all texts. rdflib does less: it stops at a parse tree, where ours gives
the algebra with its limits and its rootedness checked.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import time
from collections.abc import Callable

from rdflib.plugins.sparql.parser import parseQuery

from semantic_pubsub import Subscription

__all__ = ["main", "queries", "query"]

TRIPLES = 6
PREFIXES = {
    "shop": "http://example.org/shop#",
    "geo": "http://example.org/geo/",
    "org": "http://example.org/organisation#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
PROPERTIES = ["shop:target", "shop:price", "shop:seller", "rdf:value", "geo:near", "org:memberOf", "shop:madeBy"]
CLASSES = ["shop:Computer", "shop:Offer", "geo:City", "org:Company", "shop:Printer"]
CONSTANTS = ['"blue"', '"Hamburg"@de', "42", "shop:dollar", '"2024-05-01"^^xsd:date', "<http://example.org/item/7>"]
FILTERS = [
    "?{0} < {n}",
    "?{0} >= {n}.5 && ?{0} < {m}",
    'CONTAINS(LCASE(STR(?{0})), "word{n}")',
    "?{0} IN ({n}, {m}, shop:dollar)",
    '!(REGEX(STR(?{0}), "^ab{n}", "i") || ?{1} > {m})',
    "?{0} + ?{1} <= {m}.25",
    'LANG(?{0}) = "en" || DATATYPE(?{0}) = xsd:decimal',
]


def query(draw: random.Random) -> str:
    """One text; every vertex hangs on one that was there before."""
    vertices = ["_:H"]
    statements: list[tuple[str, str]] = []
    while len(statements) < TRIPLES:
        subject = draw.choice(vertices)
        kind = draw.randrange(10)
        if kind < 2:
            statements.append((subject, f"{draw.choice(('a', 'rdf:type'))} {draw.choice(CLASSES)}"))
        elif kind < 4 and len(statements) > 1:
            statements.append((subject, f"{draw.choice(PROPERTIES)} {draw.choice(CONSTANTS)}"))
        elif kind < 5 and len(statements) + 2 <= TRIPLES:
            vertices.append(f"?v{len(vertices)}")
            statements.append((subject, f"{draw.choice(PROPERTIES)}/{draw.choice(PROPERTIES)} {vertices[-1]}"))
            statements.append((vertices[-1], f"{draw.choice(PROPERTIES)} [ a {draw.choice(CLASSES)} ]"))
        else:
            vertices.append(f"?v{len(vertices)}")
            statements.append((subject, f"{draw.choice(PROPERTIES)} {vertices[-1]}"))
    names = [vertex[1:] for vertex in vertices[1:]] or ["v1"]
    condition = draw.choice(FILTERS).format(
        draw.choice(names), draw.choice(names), n=draw.randrange(500), m=draw.randrange(500, 999)
    )
    return _prologue(draw) + f"SELECT * WHERE {{\n{_body(statements)}  FILTER ({condition})\n}}\n"


def _prologue(draw: random.Random) -> str:
    lines = [f"PREFIX {name}: <{iri}>\n" for name, iri in PREFIXES.items()]
    draw.shuffle(lines)
    return "".join(lines)


def _body(statements: list[tuple[str, str]]) -> str:
    lines: list[str] = []
    last = None
    for subject, rest in statements:
        if subject == last:
            lines[-1] += f" ;\n      {rest}"
        else:
            lines.append(f"  {subject} {rest}")
        last = subject
    return "".join(f"{line} .\n" for line in lines)


def queries(number: int, seed: int) -> list[str]:
    """Texts that are all different."""
    draw = random.Random(seed)
    texts: dict[str, None] = {}
    while len(texts) < number:
        texts[query(draw)] = None
    return list(texts)


def cpu_times(parse: Callable[[str], object], texts: list[str], repeat: int) -> list[float]:
    """For each text the best CPU time in milliseconds."""
    best = [float("inf")] * len(texts)
    gc.collect()
    for _ in range(repeat):
        for number, text in enumerate(texts):
            start = time.process_time_ns()
            parse(text)
            best[number] = min(best[number], (time.process_time_ns() - start) / 1e6)
    return best


def main() -> None:
    """Print both parsers side by side."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--texts", type=int, default=300, help="how many different texts")
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--repeat", type=int, default=3)
    given = options.parse_args()
    texts = queries(given.texts, given.seed)
    for text in texts[:5]:  # neither side pays for its first use
        parseQuery(text)
        Subscription.parse(text)
    ours = cpu_times(Subscription.parse, texts, given.repeat)
    theirs = cpu_times(parseQuery, texts, given.repeat)
    print(f"{given.texts} different queries of {TRIPLES} triples, CPU ms a query, seed {given.seed}")
    print(f"{'':24}{'median':>10}{'90 %':>10}{'worst':>10}")
    for name, times in (("Subscription.parse", ours), ("rdflib parseQuery", theirs)):
        ranked = sorted(times)
        tail = ranked[int(0.9 * len(ranked))]
        print(f"{name:24}{statistics.median(ranked):>10.3f}{tail:>10.3f}{ranked[-1]:>10.3f}")
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    print(f"{'times faster':24}{statistics.median(ratios):>10.0f}{'least':>10}{min(ratios):>10.0f}")


if __name__ == "__main__":
    main()
