"""Files and functions stay small, and public names say what they are."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("packages/*/src/**/*.py"), *ROOT.glob("bench/*.py")])
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def definitions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, (*FUNCTION, ast.ClassDef))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_budgets(path):
    text = path.read_text()
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 300
    assert ast.get_docstring(tree), "the module says nothing about itself"
    for node in definitions(tree):
        if isinstance(node, FUNCTION) and "argparse" not in ast.unparse(node):
            size = node.end_lineno - node.lineno + 1
            assert size <= 60, f"{node.name} has {size} lines"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_swallowed_errors_and_no_code_from_data(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, "a bare except"
            assert not all(isinstance(line, ast.Pass) for line in node.body), (
                "an except that passes"
            )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec")
        if isinstance(node, ast.Import):
            assert "pickle" not in [alias.name for alias in node.names]
