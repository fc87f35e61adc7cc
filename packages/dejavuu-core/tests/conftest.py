"""The models that all tests of the core share."""

import pytest

from dejavuu_core.testing import OracleVerifier


@pytest.fixture(params=range(3))
def verifier(request):
    return OracleVerifier.from_pretrained(seed=request.param)
