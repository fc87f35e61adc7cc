"""Makes and proves ONNX decoder graphs for dejavuu; never imported at run time.

The command line is ``python -m dejavuu_build {build,parity,verify}``; the graph's contract is in
the package's README.
"""

__version__ = "0.1.0"
