"""Other engines on the same weights, each in an environment of its own."""
