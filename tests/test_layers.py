"""Data runs one way: a room imports only from rooms to its left."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "packages"
CORE = ROOT / "dejavuu-core/src/dejavuu_core"
ORDER = [
    {"errors"},
    {"home"},
    {"contract"},
    {"retrieval", "tree"},
    {"drafters", "plan", "accept"},
    {"stop", "stats"},
    {"engine"},
    {"registry"},
    {"facade"},
    {"replay"},
    {"testing"},
    {"cli"},
]
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
FOREIGN = {
    "dejavuu_ort": {"dejavuu_core"},
    "dejavuu_build": {"dejavuu_core"},
    "dejavuu_hf": {"dejavuu_core"},
    "dejavuu_vlm": {"dejavuu_core", "dejavuu_ort", "dejavuu_hf"},
}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def core_files():
    files = [path for path in CORE.rglob("*.py") if room_of(path) in RANK]
    assert len(files) > 30
    return files


def room_of(path):
    return path.relative_to(CORE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", core_files(), ids=lambda p: str(p.relative_to(CORE)))
def test_core_rooms_look_left_only(path):
    own = room_of(path)
    for name in imports(path):
        package, _, rest = name.partition(".")
        room = rest.partition(".")[0]
        if package != "dejavuu_core" or room == own or room == "__version__":
            continue
        assert room in RANK, f"{name} is in no room"
        assert RANK[room] < RANK[own], f"{own} imports {name}, which is not to its left"


@pytest.mark.parametrize("package", sorted(FOREIGN))
def test_packages_know_only_what_is_below_them(package):
    folder = ROOT / package.replace("_", "-") / "src" / package
    for path in folder.rglob("*.py"):
        for name in imports(path):
            top = name.split(".")[0]
            if top.startswith("dejavuu_"):
                assert top == package or top in FOREIGN[package], f"{path.name} imports {name}"
