"""Names are found through what the installed packages announce, and lead where they say."""

from importlib.metadata import entry_points

import pytest

from dejavuu_core.errors import UnknownNameError
from dejavuu_core.registry import (
    available_drafters,
    available_verifiers,
    load_drafter,
    plugins,
    verifier_class,
)


def test_ort_is_announced_by_its_own_package():
    found = [entry for entry in entry_points(group="dejavuu.verifiers") if entry.name == "ort"]
    assert [entry.dist.name for entry in found] == ["dejavuu-ort"]


def test_the_registry_gives_the_class_that_was_announced():
    import dejavuu_ort

    assert verifier_class("ort") is dejavuu_ort.OrtVerifier


def test_packages_that_hold_nothing_announce_nothing():
    assert {"hf", "vlm"}.isdisjoint(available_verifiers())
    with pytest.raises(UnknownNameError, match="pip install dejavuu-hf"):
        verifier_class("hf")


@pytest.mark.parametrize("name", available_drafters())
def test_every_drafter_loads_with_its_own_settings(name):
    assert load_drafter(name).needs is not None


def test_every_plugin_can_be_loaded():
    assert {plugin.name: plugin.error for plugin in plugins() if plugin.error} == {}
    assert {"baseline", "pld", "ort"} <= {plugin.name for plugin in plugins()}
