"""Files and functions stay small, and public names say what they are."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("packages/*/src/**/*.py"), *ROOT.glob("bench/*.py")])
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, FUNCTION)]


def is_argparse_builder(node):
    """Whether it fills a parser; taking parsed arguments is no excuse for length."""
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("add_argument", "add_parser")
        for call in ast.walk(node)
    )


def public(node, prefix=""):
    """Public classes and functions below ``node``, methods included, nested functions not."""
    for child in node.body:
        if isinstance(child, (*FUNCTION, ast.ClassDef)) and not child.name.startswith("_"):
            yield prefix + child.name, child
            if isinstance(child, ast.ClassDef):
                yield from public(child, f"{child.name}.")


def documented(node):
    """Whether it has a docstring or takes over the one of what it overrides."""
    marks = [ast.unparse(mark) for mark in node.decorator_list]
    return bool(ast.get_docstring(node)) or any("overload" in m or "setter" in m for m in marks)


def is_empty(statement):
    """``pass``, ``...`` or ``continue``: nothing was done about the error."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, (ast.Pass, ast.Continue))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_budgets(path):
    text = path.read_text()
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 300
    assert ast.get_docstring(tree), "the module says nothing about itself"
    for node in functions(tree):
        if not is_argparse_builder(node):
            size = node.end_lineno - node.lineno + 1
            assert size <= 60, f"{node.name} has {size} lines"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_public_names_say_what_they_are(path):
    silent = [name for name, node in public(ast.parse(path.read_text())) if not documented(node)]
    assert not silent, f"no docstring: {', '.join(silent)}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_swallowed_errors_and_no_code_from_data(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, "a bare except"
            assert not all(map(is_empty, node.body)), "an except that does nothing"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec")
        if isinstance(node, ast.Import):
            assert "pickle" not in [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            assert node.module != "pickle"
