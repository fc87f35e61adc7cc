"""A session that runs for long takes no more memory than a young one."""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from ort_helpers import Start, spine

from dejavuu_core.contract import Draft
from dejavuu_ort import OrtVerifier


def resident() -> int:
    """Give the bytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_ten_thousand_tokens_at_a_capped_context_leave_memory_flat(
    int4: OrtVerifier, start: Start, text: NDArray[np.int32]
) -> None:
    session = start(int4, text[:2])
    grown, before = 0, 0
    for step in range(2500):
        if session.length > 500:
            session.rewind(1)
            session.prefill(text[1:2])
        session.verify(Draft.chain(text[step % 400 : step % 400 + 3]))
        session.commit(spine(3), int(text[step % 500]))
        if step == 300:
            before, grown = resident(), session.cache.capacity
    assert session.cache.capacity == grown
    assert resident() - before < 4 << 20
