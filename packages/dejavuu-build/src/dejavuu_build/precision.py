"""How the matrices of a graph are stored."""

from dataclasses import dataclass

from dejavuu_core.errors import UsageError

__all__ = ["BITS", "Precision"]

BITS = {"fp32": 32, "int8": 8, "int4": 4}
# With larger blocks the kernel for one row differs from the one for several, so a row's bits would
# depend on how many rows ran with it.
_EXACT_BLOCKS = {"int4": (16, 32), "int8": (16, 32, 64)}


@dataclass(frozen=True)
class Precision:
    """A name with its settings.

    Attributes:
        name: ``fp32``, ``int8`` or ``int4``.
        block: Values along the input axis that share a scale; unused at fp32.
        symmetric: True for no zero points; unused at fp32.
        table_bits: 4 or 8, bits of the embedding and the head; None for those of the others.
    """

    name: str
    block: int = 32
    symmetric: bool = False
    table_bits: int | None = None

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            UsageError: An unknown name, a block size whose rows are not bit-identical, or table
                bits that do not go with the name.
        """
        if self.name not in BITS:
            raise UsageError(f"Precision {self.name!r} is unknown; use fp32, int8 or int4.")
        if self.table_bits is not None and (self.name == "fp32" or self.table_bits not in (4, 8)):
            raise UsageError(
                f"Table bits {self.table_bits} do not go with {self.name}; leave them."
            )
        if self.name == "fp32" and self.symmetric:
            raise UsageError("Symmetric does not go with fp32, which has no zero points; leave it.")
        allowed = _EXACT_BLOCKS.get(self.name)
        if allowed and self.block not in allowed:
            raise UsageError(
                f"Block size {self.block} is not bit-exact for {self.name}; use one of "
                f"{', '.join(map(str, allowed))}."
            )

    @property
    def for_table(self) -> "Precision":
        """The setting for the embedding and the head."""
        if self.table_bits is None:
            return self
        return Precision(f"int{self.table_bits}", self.block, self.symmetric)

    @property
    def bits(self) -> int:
        """Bits of one stored weight."""
        return BITS[self.name]
