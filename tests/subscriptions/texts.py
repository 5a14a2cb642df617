"""Drawn subscription texts as lists of tokens, rooted at home, in both syntaxes."""

from __future__ import annotations

from hypothesis import strategies as st

PROLOGUE = ["PREFIX", "ex:", "<http://example.org/>", "PREFIX", ":", "<http://example.org/other#>"]
PROPERTIES = ["ex:p", "ex:q-1", ":r", "<http://example.org/s>", "rdf:value", "ex:a.b"]
CLASSES = ["ex:C", ":D", "<http://example.org/E>", "owl:Thing"]
LITERALS = [
    *("1", "-2", "+3", "1.5", ".5", "1e3", "2.5E-1", "true", "false"),
    *('"x"', "'y'", '"""long "text" here"""', "'''it''s'''", '"tab\\t and \\"quote\\""', '"Käse"@de', '"a"@en-GB'),
    *('"7"^^xsd:byte', '"x"^^<http://example.org/t>', '"2024-01-01T00:00:00Z"^^xsd:dateTime'),
]
IRIS = ["ex:i", "<http://example.org/j>", ":k"]
FUNCTIONS = ["STR", "LANG", "DATATYPE", "isIRI", "LCASE", "ucase", "STRLEN", "ABS", "YEAR", "xsd:integer", "xsd:date"]
PAIRED = ["CONTAINS", "STRSTARTS", "strends", "sameTerm", "langMatches"]


@st.composite
def expressions(draw: st.DrawFn, names: list[str], depth: int = 3) -> list[str]:
    """Tokens of a filter expression; parentheses wherever SPARQL's grammar wants them."""
    kind = draw(st.integers(0, 9 if depth else 2))

    def inner() -> list[str]:
        return draw(expressions(names, depth - 1))

    def atom() -> list[str]:
        return draw(st.sampled_from([[f"?{name}"] for name in names] + [[literal] for literal in LITERALS]))

    if kind <= 1:
        return atom()
    if kind == 2:
        return [draw(st.sampled_from(IRIS))]
    if kind == 3:
        return ["(", *inner(), ")", draw(st.sampled_from(["<", "<=", "=", "!=", ">", ">="])), "(", *inner(), ")"]
    if kind == 4:
        joined = draw(st.sampled_from(["&&", "||"]))
        parts = [["(", *inner(), ")"] for _ in range(draw(st.integers(2, 4)))]
        return [token for part in parts for token in (joined, *part)][1:]
    if kind == 5:
        return ["(", *inner(), ")", draw(st.sampled_from("+-*/")), *atom()]
    if kind == 6:
        return [draw(st.sampled_from("!-+")), "(", *inner(), ")"]
    if kind == 7:
        return [draw(st.sampled_from(FUNCTIONS)), "(", *inner(), ")"]
    if kind == 8:
        return [draw(st.sampled_from(PAIRED)), "(", *inner(), ",", *inner(), ")"]
    negated = draw(st.sampled_from([[], ["NOT"]]))
    return [*atom(), *negated, "IN", "(", *atom(), ",", *atom(), ")"]


@st.composite
def groups(draw: st.DrawFn, depth: int = 2) -> list[str]:
    """`{ ... }` in which home reaches every vertex."""
    vertices = ["_:H"]
    tokens = ["{"]
    for _ in range(draw(st.integers(1, 4))):
        subject = draw(st.sampled_from(vertices))
        tokens += [subject, *draw(_property_list(vertices)), "."]
    names = [vertex[1:] for vertex in vertices if vertex.startswith("?")] or ["free"]
    if depth and not draw(st.integers(0, 3)):
        branches = [draw(groups(depth - 1)) for _ in range(draw(st.integers(1, 2)))]
        tokens += [token for branch in branches for token in ("UNION", *branch)][1:]
    for _ in range(draw(st.integers(0, 2))):
        tokens += ["FILTER", "(", *draw(expressions(names)), ")"]
    return [*tokens, "}"]


@st.composite
def _property_list(draw: st.DrawFn, vertices: list[str]) -> list[str]:
    tokens: list[str] = []
    for number in range(draw(st.integers(1, 3))):
        tokens += [";"] if number else []
        if not draw(st.integers(0, 3)):
            tokens += [draw(st.sampled_from(["a", "rdf:type"])), draw(st.sampled_from(CLASSES))]
            continue
        steps = draw(st.lists(st.sampled_from(PROPERTIES), min_size=1, max_size=2))
        tokens += [token for step in steps for token in ("/", step)][1:]
        for more in range(draw(st.integers(1, 2))):
            tokens += [","] if more else []
            tokens += draw(_object(vertices))
    return tokens


@st.composite
def _object(draw: st.DrawFn, vertices: list[str]) -> list[str]:
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return [draw(st.sampled_from(LITERALS))]
    if kind == 1:
        return [draw(st.sampled_from(IRIS))]
    if kind == 2:
        return ["[", draw(st.sampled_from(PROPERTIES)), draw(st.sampled_from(LITERALS)), "]"]
    if kind == 3:
        return [draw(st.sampled_from(vertices))]
    vertex = draw(st.sampled_from([f"?v{len(vertices)}", f"$w{len(vertices)}", "?v1"])).replace("$", "?")
    vertices.append(vertex)
    return [vertex]


@st.composite
def queries(draw: st.DrawFn) -> list[str]:
    """Tokens of a whole SPARQL query."""
    form = draw(st.sampled_from([["ASK"], ["SELECT", "*", "WHERE"], ["SELECT", "DISTINCT", "?v1"], ["select", "*"]]))
    return [*PROLOGUE, *form, *draw(groups())]


@st.composite
def statements(draw: st.DrawFn) -> list[str]:
    """Tokens of statement patterns."""
    vertices, names = ["_:H"], ["?1"]
    tokens = list(PROLOGUE)
    for number in range(1, draw(st.integers(1, 5)) + 1):
        subject = draw(st.sampled_from(vertices))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            target = draw(st.sampled_from(LITERALS))
        elif kind == 1:
            target = draw(st.sampled_from(IRIS))
        else:
            target = f"?{number}"
            vertices.append(target)
            names.append(target)
        of_subject = draw(st.sampled_from([*CLASSES, "Bare", "*"]))
        of_object = draw(st.sampled_from([*CLASSES, "Bare", "xsd:decimal", "*"]))
        prop = draw(st.sampled_from([*PROPERTIES, "bareProperty"]))
        tokens += ["(", subject, ",", target, ",", "(", of_subject, ",", prop, ",", of_object, ")"]
        if draw(st.booleans()):
            tokens += [",", *draw(expressions([name[1:] for name in names]))]
        tokens.append(")")
    return tokens


def text_of(tokens: list[str]) -> str:
    """The tokens with white space between them."""
    return " ".join(tokens)
