import pytest

from bench.peers.quantisation import Quantisation, quantisation_of
from bench.peers.ratio import geometric_mean
from bench.weights import _demand
from dejavuu_core.errors import ModelError, UsageError


def test_equal_ratios_have_no_spread():
    found = geometric_mean([1.1] * 5)
    assert found.low == pytest.approx(1.1)
    assert found.high == pytest.approx(1.1)


def test_the_mean_is_geometric_and_inside_its_interval():
    found = geometric_mean([0.5, 2.0, 1.0])
    assert found.mean == pytest.approx(1)
    assert 0.5 <= found.low < found.mean < found.high <= 2


def test_a_quantisation_in_words():
    assert str(Quantisation(4, 32, False, 8)) == "int4, block 32, asymmetric, head int8"


def test_a_folder_without_a_graph_is_said(tmp_path):
    with pytest.raises(UsageError, match="there is no graph"):
        quantisation_of(tmp_path)


def test_another_hash_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"other")
    with pytest.raises(ModelError, match=r"name==1 has SHA-256 .* and not aaaa"):
        _demand(path, "aaaa", "name==1")
