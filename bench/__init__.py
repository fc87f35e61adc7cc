"""The benchmark: what dejavuu promises, measured on real models. In no wheel."""
