"""Runs inside the peer's environment, as a script: makes its model, or answers prompts.

``export GGUF FOLDER`` turns a GGUF file into a Hugging Face folder of float32 weights. ``serve
FOLDER THREADS`` reads one JSON object a line (``tokens``, ``max_new_tokens``) and answers each
with one: ``tokens``, ``prefill_s``, ``decode_s`` (seconds of all forwards behind the prefill).
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

__all__: list[str] = []


def export(gguf: str, folder: str) -> None:
    """Write the weights of ``gguf`` in float32, with their tokenizer, into ``folder``."""
    transformers, torch = import_module("transformers"), import_module("torch")
    where, name = str(Path(gguf).parent), Path(gguf).name
    model = transformers.AutoModelForCausalLM.from_pretrained(
        where, gguf_file=name, dtype=torch.float32
    )
    # The weights are plain floats by now; transformers would refuse to save a "GGUF model".
    model.hf_quantizer, model.is_quantized = None, False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(where, gguf_file=name).save_pretrained(folder)


def serve(folder: str, threads: str) -> None:
    """Answer prompts from standard input until it ends."""
    genai = import_module("onnxruntime_genai")
    config = genai.Config(folder)
    options = {"intra_op_num_threads": int(threads)}
    config.overlay(json.dumps({"model": {"decoder": {"session_options": options}}}))
    model = genai.Model(config)
    print(json.dumps({"version": genai.__version__}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(_answer(genai, model, **asked)), flush=True)


def _answer(
    genai: Any,  # noqa: ANN401
    model: Any,  # noqa: ANN401
    tokens: list[int],
    max_new_tokens: int,
) -> dict[str, object]:
    """Decode greedily. The prefill gives the first token, so it is not among the timed ones."""
    parameters = genai.GeneratorParams(model)
    most = len(tokens) + max_new_tokens
    parameters.set_search_options(max_length=most, do_sample=False)
    generator = genai.Generator(model, parameters)
    start = perf_counter()
    generator.append_tokens(tokens)
    generator.generate_next_token()
    written = [int(generator.get_next_tokens()[0])]
    first = perf_counter()
    while not generator.is_done():
        generator.generate_next_token()
        written.append(int(generator.get_next_tokens()[0]))
    end = perf_counter()
    return {"tokens": written, "prefill_s": first - start, "decode_s": end - first}


if __name__ == "__main__":
    {"export": export, "serve": serve}[sys.argv[1]](*sys.argv[2:])
