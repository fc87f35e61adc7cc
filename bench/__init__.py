"""The benchmark: real models, plain decoding beside every method. In no wheel."""
