"""From a source to a built folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx_ir as ir

from dejavuu_build.digest import demand_sha256
from dejavuu_build.families import family_of
from dejavuu_build.graph import decoder_graph, without_bias
from dejavuu_build.json_file import write_json
from dejavuu_build.manifest import GRAPH, MANIFEST, TREE_GRAPH, Contents, describe
from dejavuu_build.output_folder import check_free, output_folder
from dejavuu_build.precision import Precision
from dejavuu_build.source import Source, open_source
from dejavuu_build.spec import DecoderSpec
from dejavuu_build.weight_file import WeightFile
from dejavuu_core.errors import UsageError

__all__ = ["BuildOptions", "build_folder"]


@dataclass(frozen=True)
class BuildOptions:
    """What a user may choose.

    Attributes:
        precision: How matrices are stored.
        max_context: Tokens that the graph can hold; None for as many as the model was trained for.
        hidden_layer: Block, from 0, whose residual stream becomes an output; None for none.
        force: True to replace a built folder.
        sha256: Hash that the source file must have, or None.
    """

    precision: Precision
    max_context: int | None = None
    hidden_layer: int | None = None
    force: bool = False
    sha256: str | None = None


def build_folder(source_path: Path, out: Path, options: BuildOptions) -> dict[str, Any]:
    """Build the graph and everything beside it.

    Args:
        source_path: A GGUF file or a Hugging Face folder.
        out: The folder to make; it appears whole or not at all.
        options: The user's choices.

    Returns:
        The manifest.

    Raises:
        ModelError: The source is missing, damaged, of another hash, or cannot be built.
        UsageError: ``out`` exists, or a choice does not fit the model.
    """
    check_free(out, options.force)  # before anything that takes long
    if options.sha256 is not None:
        demand_sha256(source_path, options.sha256)
    source = open_source(source_path)
    contents = _contents(source, options)
    with output_folder(out, options.force) as folder:
        _write_text(contents, folder)
        _write_graph(source, contents, folder)
        manifest = describe(contents, folder)
        write_json(folder / MANIFEST, manifest)
    return manifest


def _contents(source: Source, options: BuildOptions) -> Contents:
    _check_hidden_layer(source.spec, options.hidden_layer)
    return Contents(
        spec=source.spec,
        precision=options.precision,
        text=source.text_parts(),
        max_context=_max_context(source.spec, options.max_context),
        hidden_layer=options.hidden_layer,
        sources=source.files,
    )


def _write_graph(source: Source, contents: Contents, folder: Path) -> None:
    with WeightFile(folder / f"{GRAPH}.data") as weights:
        model = decoder_graph(
            source, contents.precision, weights, contents.max_context, contents.hidden_layer
        )
    ir.save(model, folder / TREE_GRAPH)
    ir.save(without_bias(model), folder / GRAPH)


def _write_text(contents: Contents, folder: Path) -> None:
    spec, text = contents.spec, contents.text
    (folder / "tokenizer.json").write_text(text.tokenizer_json, encoding="utf-8")
    config = spec.hf_config(family_of(spec.family).architecture)
    if text.bos:
        config["bos_token_id"] = text.bos[0]
    config["eos_token_id"] = list(text.eos_ids)
    write_json(folder / "config.json", config)
    write_json(folder / "tokenizer_config.json", text.tokenizer_config(contents.max_context))
    write_json(folder / "generation_config.json", text.generation_config())


def _max_context(spec: DecoderSpec, asked: int | None) -> int:
    if asked is None:
        return spec.max_context
    if not 2 <= asked <= spec.max_context:  # one token of prompt and one of answer
        raise UsageError(f"A context of {asked} does not fit; give 2 to {spec.max_context}.")
    return asked


def _check_hidden_layer(spec: DecoderSpec, asked: int | None) -> None:
    if asked is not None and not 0 <= asked < spec.layers:
        raise UsageError(f"There is no block {asked}; give 0 to {spec.layers - 1}.")
