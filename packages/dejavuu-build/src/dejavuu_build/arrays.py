"""Names for the array types that the package hands around."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "ByteArray", "FloatArray", "IntArray"]

FloatArray = NDArray[np.float32]
ByteArray = NDArray[np.uint8]
IntArray = NDArray[np.int64]
Array = NDArray[Any]
