"""Discovery without installing: a dist-info folder on the path is a package."""

import pytest

from dejavuu_core.drafters import BUILT_IN
from dejavuu_core.errors import PluginError, UnknownNameError, UsageError
from dejavuu_core.registry import (
    available_drafters,
    available_verifiers,
    load_drafter,
    load_verifier,
    plugins,
)

ENTRIES = """[dejavuu.verifiers]
acme.oracle = dejavuu_core.testing:OracleVerifier
[dejavuu.drafters]
acme.plain = dejavuu_core.drafters.baseline:Baseline
acme.broken = acme_missing_module:Thing
acme.typo = dejavuu_core.drafters.baseline:Basline
"""


def install(folder, name, entries):
    info = folder / f"{name}-0.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.3\n")
    (info / "entry_points.txt").write_text(entries)


@pytest.fixture
def acme(tmp_path, monkeypatch):
    install(tmp_path, "acme", ENTRIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_table_is_sorted_and_loads():
    assert list(BUILT_IN) == sorted(BUILT_IN)
    assert [load_drafter(name).method.summary for name in BUILT_IN]


def test_a_foreign_package_is_found(acme):
    assert {"acme.plain", "baseline", "pld"} <= set(available_drafters())
    assert "acme.oracle" in available_verifiers()
    assert load_drafter("acme.plain").method.summary
    assert load_verifier("acme.oracle", None, seed=3).capabilities.vocab_size == 50


def test_what_fails_to_load_is_reported_with_its_package(acme):
    states = {plugin.name: plugin for plugin in plugins()}
    assert states["acme.plain"].error == ""
    assert states["acme.plain"].package == "acme 0.3"
    assert "acme_missing_module" in states["acme.broken"].error
    assert "Basline" in states["acme.typo"].error
    with pytest.raises(PluginError, match=r"acme 0\.3 cannot be loaded"):
        load_drafter("acme.broken")


@pytest.mark.parametrize("name", ["pld", "acme.plain"])
def test_two_owners_of_one_name_are_an_error(acme, name):
    install(acme, "rival", f"[dejavuu.drafters]\n{name} = dejavuu_core.drafters.pld:PromptLookup\n")
    with pytest.raises(PluginError, match=f"'{name}' is claimed by .* and .*; uninstall one"):
        load_drafter(name)
    assert any("claimed by" in plugin.error for plugin in plugins())


def test_unknown_names():
    with pytest.raises(UnknownNameError, match=r"'pdl' is misspelled or not installed.*'pld'"):
        load_drafter("pdl")
    with pytest.raises(UnknownNameError, match="available: baseline, pld"):
        load_drafter("zzz")
    with pytest.raises(UnknownNameError, match="pip install dejavuu-vlm"):
        load_verifier("vlm", "x")


def test_unknown_options():
    with pytest.raises(UsageError, match="no option 'n'; its options: max_ngram"):
        load_drafter("pld", n=3)
