"""Finds the conditions of C++ sources, with clang's own parser.

  points = find(["domain/src/path.cpp"], flags=["-std=c++20", "-Idomain/include"], scope="pmg::domain", root=folder)

A condition is every expression that is a truth value: what if, while, for and ?: test, the operands of && and ||, what is
returned, stored or handed on as a bool. Each gives one or more points, a place in a file and what may be done to it:

  flip      the opposite
  boundary  < becomes <=, > becomes >=, and back
  drop      an operand of && becomes true, one of || false, as if it were not there
  none      `if (auto x = f())`: f found nothing

What only the compiler evaluates (static_assert, consteval, initialisers of constexpr variables) is counted and left alone:
no test that runs can see it.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess

BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
#: nodes that mean the same as the expression within
TRANSPARENT = {"ImplicitCastExpr", "ParenExpr", "ExprWithCleanups", "ConstantExpr", "MaterializeTemporaryExpr",
               "CXXBindTemporaryExpr"}
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"}


class Point(collections.namedtuple("Point", "file begin end kind function operator", defaults=(None,))):
    """Bytes begin to end of `file`. `operator`: where that of a comparison lies, or what an operand belongs to."""


def find(sources, flags, scope, root, clang="clang++"):
    """(points, number that only the compiler evaluates), each ordered by file and place, over all files below `root`."""
    finder = Finder(pathlib.Path(root).resolve())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(lambda source: syntax_tree(source, flags, scope, clang), sources):
            for declaration in text:
                finder.visit(declaration)
    return sorted(finder.points), len(finder.compile_time - finder.points)


def syntax_tree(source, flags, scope, clang):
    """What clang prints about the namespace `scope`, one value for each time that it is opened."""
    command = [clang, *flags, "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={scope}", str(source)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    files = Files(source)
    decoder = json.JSONDecoder(object_hook=files.place)
    values, at = [], 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        values.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return values


class Files:
    """A place names its file only where that differs from the place before."""

    def __init__(self, source):
        self.last = str(source)

    def place(self, node):
        if "offset" in node:
            self.last = node.setdefault("file", self.last)
        return node


def span(node):
    """(file, begin, end), or None for what is written nowhere or within a macro."""
    begin, end = (node.get("range", {}).get(side, {}) for side in ("begin", "end"))
    if "offset" not in begin or "offset" not in end or begin["file"] != end["file"]:
        return None
    return begin["file"], begin["offset"], end["offset"] + end["tokLen"]


def is_truth(node):
    return node.get("type", {}).get("qualType") == "bool" and node.get("valueCategory") == "prvalue"


class Finder:
    def __init__(self, root):
        self.root = root
        self.texts = {}
        self.points = set()
        self.compile_time = set()
        self.target = self.points
        self.function = ""

    # --- walking --------------------------------------------------------------------------------

    def visit(self, node):
        kind = node.get("kind")
        if not kind or "explicitlyDefaulted" in node:
            return
        if node.get("isImplicit") and kind != "VarDecl":
            return  # also the class of a lambda, whose body is beside it once more
        if kind in ("FieldDecl", "CXXDefaultInitExpr", "CXXDefaultArgExpr"):
            return  # values, not decisions
        if is_truth(node):
            self.truth(node)
            return
        if kind in FUNCTIONS:
            self.within_function(node)
        elif kind == "StaticAssertDecl" or kind == "VarDecl" and node.get("constexpr"):
            self.only_compiled(node)
        elif kind == "CXXForRangeStmt":  # what is written of it: an initialiser, the range, the body
            for child in [node["inner"][0], *node["inner"][1].get("inner", [])[:1], node["inner"][-1]]:
                self.visit(child)
        elif kind in ("IfStmt", "WhileStmt", "ForStmt"):
            self.statement(node)
        else:
            self.children(node)

    def children(self, node):
        for child in node.get("inner", []):
            self.visit(child)

    def within_function(self, node):
        outer, self.function = self.function, node.get("name", "")
        if node.get("constexpr") and self.says_consteval(node):
            self.only_compiled(node)
        else:
            self.children(node)
        self.function = outer

    def only_compiled(self, node):
        outer, self.target = self.target, self.compile_time
        self.children(node)
        self.target = outer

    def says_consteval(self, node):
        where = span(node)
        if where is None or self.file_of(where[0]) is None:
            return False
        name = node["loc"].get("offset", where[1])
        return b"consteval" in self.text(where[0])[where[1]:name]

    def statement(self, node):
        """`if (auto x = f())`: the condition is written as the variable, so its value is what can be changed."""
        inner = node.get("inner", [])
        if node.get("isConstexpr"):
            return
        for at, child in enumerate(inner):
            where = span(child)
            before = span(inner[at - 1]) if at and inner[at - 1].get("kind") == "DeclStmt" else None
            if where and before and is_truth(child) and before[1] <= where[1] < before[2]:
                self.add(span(inner[at - 1]["inner"][0]["inner"][-1]), "none")
            elif child.get("kind") != "CXXBoolLiteralExpr":  # while (true): no condition
                self.visit(child)

    # --- truth values ---------------------------------------------------------------------------

    def truth(self, node, flip=True):
        """`flip`: false where the opposite is a point already."""
        if flip:
            self.add(span(node), "flip")
        core = node
        while core["kind"] in TRANSPARENT and len(core.get("inner", [])) == 1 and is_truth(core["inner"][0]):
            core = core["inner"][0]
        operator = core.get("opcode")
        if core["kind"] == "CXXRewrittenBinaryOperator":  # a != b as !(a == b): only a and b are written
            while is_truth(core) and core["kind"] != "CXXOperatorCallExpr":
                core = core["inner"][0]
            self.children(core)
        elif operator in ("&&", "||"):
            for operand in operands(core, operator):
                self.add(span(operand), "drop", operator)
                self.truth(operand)
        elif operator == "!":
            self.negated(core["inner"][0])
        elif operator in BOUNDARY and core["kind"] == "BinaryOperator":
            self.boundary(core)
            self.children(core)
        else:
            self.children(core)

    def negated(self, node):
        if is_truth(node):
            self.truth(node, flip=False)
        else:
            self.visit(node)

    def boundary(self, node):
        left, right = (span(child) for child in node["inner"])
        if left and right and left[0] == right[0]:
            self.add(span(node), "boundary", (left[2], right[1], node["opcode"]))

    # --- what was found -------------------------------------------------------------------------

    def file_of(self, name):
        path = pathlib.Path(name).resolve()
        return path if path.is_relative_to(self.root) else None

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = pathlib.Path(name).read_bytes()
        return self.texts[name]

    def add(self, where, kind, operator=None):
        path = where and self.file_of(where[0])
        if path:
            name = path.relative_to(self.root).as_posix()
            self.target.add(Point(name, where[1], where[2], kind, self.function, operator))


def operands(node, operator):
    """Those of a chain `a && b && c`, which is written without parentheses."""
    for child in node["inner"]:
        if child["kind"] == "BinaryOperator" and child.get("opcode") == operator:
            yield from operands(child, operator)
        else:
            yield child
