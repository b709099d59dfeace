"""Rewrites sources so that every mutant is in one program, and an environment variable chooses among them.

  point flip 17 of `a < b`:      mutant::flip(17, a < b)

(Untch, Offutt, Harrold 1993: mutant schemata.) So everything is compiled once. mutant.hpp says what the calls do.
"""
import collections

from conditions import BOUNDARY

#: which of the points of one expression is outermost
ORDER = ("drop", "flip", "none", "boundary")
#: kMost of mutant.hpp
MOST = 1 << 14


class Mutant(collections.namedtuple("Mutant", "id point line source becomes")):
    def __str__(self):
        return f"{self.point.file}:{self.line}: {self.point.function}: `{self.source}` -> `{self.becomes}`"

    def key(self):
        """What equivalent.txt calls it."""
        return (self.point.file, self.point.function, self.source, self.becomes)


def number(points, texts):
    """The mutants, numbered from 1. `texts`: the bytes of each file."""
    if len(points) > MOST:
        raise ValueError(f"{len(points)} mutants; mutant.hpp has room for {MOST}")
    return [Mutant(id, point, texts[point.file].count(b"\n", 0, point.begin) + 1, written(point, texts), becomes(point, texts))
            for id, point in enumerate(points, 1)]


def written(point, texts):
    return " ".join(texts[point.file][point.begin:point.end].decode().split())


def becomes(point, texts):
    if point.kind == "boundary":
        left, right, operator = point.operator
        text = texts[point.file]
        return " ".join((text[point.begin:left] + f" {BOUNDARY[operator]} ".encode() + text[right:point.end]).decode().split())
    if point.kind == "drop":
        return "true" if point.operator == "&&" else "false"
    if point.kind == "none":
        return "{}"
    return {"true": "false", "false": "true"}.get(written(point, texts)) or f"!({written(point, texts)})"


def rewrite(text, mutants):
    """`text`, bytes of one file, with all of its mutants."""
    ordered = sorted(mutants, key=lambda m: (m.point.begin, -m.point.end, ORDER.index(m.point.kind)))
    body = render(text, 0, len(text), ordered)
    return b'#include "mutant.hpp"\n#line 1\n' + body if mutants else body


def render(text, begin, end, mutants):
    """Bytes begin to end; `mutants` are those within, outer ones first."""
    out, at, rest = [], begin, list(mutants)
    while rest:
        first = rest[0]
        within = [m for m in rest[1:] if m.point.begin >= first.point.begin and m.point.end <= first.point.end]
        out += [text[at:first.point.begin], call(text, first, within)]
        at = first.point.end
        rest = [m for m in rest[1:] if m.point.begin >= at]
    return b"".join([*out, text[at:end]])


def call(text, mutant, within):
    point = mutant.point
    if point.kind == "boundary":
        left, right, operator = point.operator
        parts = [render(text, a, b, [m for m in within if a <= m.point.begin and m.point.end <= b])
                 for a, b in ((point.begin, left), (right, point.end))]
        one, other = (f" {o} ".encode().join(parts) for o in (operator, BOUNDARY[operator]))
        return b"(mutant::is(%d) ? (%s) : (%s))" % (mutant.id, other, one)
    inside = render(text, point.begin, point.end, within)
    if point.kind == "drop":
        test = b"(mutant::is(%d) || %s)" if point.operator == "&&" else b"(!mutant::is(%d) && %s)"
        return test % (mutant.id, b"static_cast<bool>(" + inside + b")")
    return b"mutant::%s(%d, %s)" % (point.kind.encode(), mutant.id, inside)
