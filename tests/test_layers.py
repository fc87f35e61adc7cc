"""Data runs one way: a room imports only from rooms to its left."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "packages"
CORE = ROOT / "dejavuu-core/src/dejavuu_core"
ORDER = [
    {"errors", "version"},
    {"checks", "home"},
    {"contract"},
    {"retrieval", "tree"},
    {"drafters", "plan", "accept"},
    {"prompt", "stop", "stats"},
    {"engine"},
    {"registry"},
    {"facade"},
    {"replay"},
    {"testing"},
    {"cli"},
]
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
# What a backend or a builder may know of the core; "" is the package itself.
PUBLIC = {
    "checks",
    "",
    "DejaVu",
    "DejavuuError",
    "Result",
    "contract",
    "errors",
    "home",
    "tree",
    "testing",
}
FOREIGN = {
    "dejavuu_ort": {"dejavuu_core"},
    "dejavuu_build": {"dejavuu_core"},
    "dejavuu_hf": {"dejavuu_core"},
    "dejavuu_vlm": {"dejavuu_core", "dejavuu_ort", "dejavuu_hf"},
}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path.name}:{node.lineno} imports by dots; name the room"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def core_files():
    """Every file but the front doors, which may see all rooms."""
    doors = {CORE / "__init__.py", CORE / "__main__.py"}
    return [path for path in sorted(CORE.rglob("*.py")) if path not in doors]


def room_of(path):
    return path.relative_to(CORE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", core_files(), ids=lambda p: str(p.relative_to(CORE)))
def test_core_rooms_look_left_only(path):
    own = room_of(path)
    assert own in RANK, f"{path.name} stands in no room"
    for name in imports(path):
        package, _, rest = name.partition(".")
        room = rest.partition(".")[0]
        if package != "dejavuu_core" or room == own or room == "__version__":
            continue
        assert room in RANK, f"{name} is in no room"
        assert RANK[room] < RANK[own], f"{own} imports {name}, which is not to its left"


def test_the_core_needs_numpy_and_nothing_else():
    # Only the conformance kit may meet the test tools.
    for path in CORE.rglob("*.py"):
        extra = {"pytest", "hypothesis"} if room_of(path) == "testing" else set()
        allowed = {*sys.stdlib_module_names, "numpy", "dejavuu_core", *extra}
        foreign = {name.split(".")[0] for name in imports(path)} - allowed
        assert not foreign, f"{path.relative_to(CORE)} imports {foreign}"


@pytest.mark.parametrize("package", sorted(FOREIGN))
def test_packages_know_only_what_is_below_them(package):
    folder = ROOT / package.replace("_", "-") / "src" / package
    for path in folder.rglob("*.py"):
        for name in imports(path):
            top = name.split(".")[0]
            if top.startswith("dejavuu_"):
                assert top == package or top in FOREIGN[package], f"{path.name} imports {name}"
            if top == "dejavuu_core":
                room = name.partition(".")[2].partition(".")[0]
                assert room in PUBLIC, f"{path.name} imports {name}, which is not public"
