"""One version for all packages, and pins between them that say so."""

import importlib
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECTS = {
    path.parent.name: tomllib.loads(path.read_text())["project"]
    for path in ROOT.glob("packages/*/pyproject.toml")
}


def test_one_version():
    assert len({project["version"] for project in PROJECTS.values()}) == 1


def test_what_the_packages_say_of_themselves():
    for name in ("dejavuu_core", "dejavuu_ort", "dejavuu_build"):
        own = PROJECTS[name.replace("_", "-")]["version"]
        assert importlib.import_module(name).__version__ == own


def test_pins():
    version = PROJECTS["dejavuu-core"]["version"]
    for project in PROJECTS.values():
        extras = project.get("optional-dependencies", {}).values()
        for need in [*project["dependencies"], *(need for extra in extras for need in extra)]:
            if need.startswith("dejavuu-"):
                assert need.endswith(f"=={version}")
