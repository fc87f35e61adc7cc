# dejavuu: the tasks of a checkout. `make help` lists them.

# A failure in front of a pipe is a failure.
SHELL = bash
.SHELLFLAGS = -o pipefail -c

PYTHON ?= $(or $(shell command -v python3.11),python3)
PIP = -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
CORE = packages/dejavuu-core
ORT = packages/dejavuu-ort
BUILD = packages/dejavuu-build
# Not hf and vlm: they hold nothing yet, and torch is gigabytes.
ALL = -e "$(CORE)[testing]" -e "$(ORT)[testing]" -e "$(BUILD)[testing]"
TOOLS = pytest-cov mypy ruff deptry

.PHONY: help install demo test test-core test-ort test-build test-cross check lint types deps coverage exactness clean
.DEFAULT_GOAL := help

help:  ## list the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: .venv/stamp  ## all packages, editable, and the tools, into .venv

demo: install  ## a real model writes with and without drafts (the first run fetches and builds it)
	.venv/bin/python -m bench demo

test: test-core test-ort test-build test-cross  ## each package alone, then all together

test-core: .venvs/core/stamp  ## the core in an environment that has nothing but numpy
	cd $(CORE) && ../../.venvs/core/bin/python -m pytest -q -c ../../pyproject.toml --rootdir . tests

test-ort: .venvs/ort/stamp  ## the ONNX Runtime backend with the core alone
	cd $(ORT) && ../../.venvs/ort/bin/python -m pytest -q -c ../../pyproject.toml --rootdir . tests

test-build: .venvs/build/stamp  ## the builder with the core alone
	cd $(BUILD) && ../../.venvs/build/bin/python -m pytest -q -c ../../pyproject.toml --rootdir . tests

test-cross: install  ## what needs several packages, and the benchmark's own tests
	.venv/bin/python -m pytest -q tests $(wildcard bench/tests)

check: lint types deps coverage  ## style, types, dependencies, coverage (layers and budgets: test-cross)

lint: install
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: install
	.venv/bin/mypy $(CORE)/src $(ORT)/src $(BUILD)/src bench --exclude bench/tests

deps: install
	for package in $(CORE) $(ORT) $(BUILD); do (cd $$package && ../../.venv/bin/deptry src) || exit 1; done

coverage: install
	cd $(CORE) && ../../.venv/bin/python -m pytest -q -c ../../pyproject.toml --rootdir . --cov=dejavuu_core --cov-config=../../pyproject.toml --cov-fail-under=90 tests | tail -n 45
	cd $(ORT) && ../../.venv/bin/python -m pytest -q -c ../../pyproject.toml --rootdir . --cov=dejavuu_ort --cov-config=../../pyproject.toml --cov-fail-under=90 tests | tail -n 25

exactness: install  ## the real int4 model: the same bits for every row count, pld equal to baseline
	.venv/bin/python -m bench exactness

clean:  ## remove environments and caches of the tools
	rm -rf .venv .venvs .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage

.venv/stamp: constraints.txt $(wildcard packages/*/pyproject.toml)
	$(PYTHON) -m venv .venv
	.venv/bin/python $(PIP) $(ALL) $(TOOLS)
	touch $@

.venvs/core/stamp: constraints.txt $(CORE)/pyproject.toml
	$(PYTHON) -m venv .venvs/core
	.venvs/core/bin/python $(PIP) -e "$(CORE)[testing]"
	touch $@

.venvs/ort/stamp: constraints.txt $(CORE)/pyproject.toml $(ORT)/pyproject.toml
	$(PYTHON) -m venv .venvs/ort
	.venvs/ort/bin/python $(PIP) -e $(CORE) -e "$(ORT)[testing]"
	touch $@

.venvs/build/stamp: constraints.txt $(CORE)/pyproject.toml $(BUILD)/pyproject.toml
	$(PYTHON) -m venv .venvs/build
	.venvs/build/bin/python $(PIP) -e $(CORE) -e "$(BUILD)[testing]"
	touch $@
