# `make demo` and `make test` set up what they need in .venv; nothing else has to be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The variables are for what pip installs to build a package with; pip calls one of them by its first name until 25.3.
PINNED := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt
PIP := $(PINNED) $(BIN)/python -m pip --disable-pip-version-check install --quiet
# Tests run side by side, a file or a folder at a time (tests/conftest.py), each on one core; one more than there are
# cores, as many of them wait for something. WORKERS=0: one after the other, in one process.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(os.cpu_count() + 1)")
ONE_CORE := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# How long `make soak` goes on.
MINUTES ?= 10

ENCODER ?= bge-small-en-v1.5
WORK ?= runs
OUT ?= $(WORK)/tables

.PHONY: demo test lint pytest package docs pythons bench reproduce soak clean

demo: $(VENV)/app
	$(BIN)/coverset demo

test: $(VENV)/dev
	$(MAKE) -j 2 lint pytest

# What nearly every test decodes with is compiled first: once, not by each of those side by side.
pytest: $(VENV)/dev
	$(ONE_CORE) $(BIN)/python .ci/kernels.py
	$(ONE_CORE) $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/pins.py
	$(BIN)/python .ci/map.py

# The manual, into site/: without a network, and without warnings.
docs: $(VENV)/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# The core's tests on every Python that this machine has, of those that are supported.
pythons:
	.ci/pythons

# Build the wheel and the source archive, and see that each, installed by itself, decodes.
package: $(VENV)/dev
	rm -rf dist
	$(PINNED) $(BIN)/python .ci/package.py dist

soak: $(VENV)/dev
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES) --out benchmarks/results

bench: $(VENV)/dev
	@$(PIP) -e ".[bench]"
	$(BIN)/python -m benchmarks.speed --out benchmarks/results
	$(BIN)/python -m benchmarks.peers --out benchmarks/results

# The paper's recipe, resumable: make reproduce DATA="data/numpybank data/toollens" ENCODER=bge-small-en-v1.5
# ARGUMENTS are any more of `python -m benchmarks.paper.reproduce --help`, such as --device cuda:1 or --no-sweep.
reproduce: $(VENV)/train
	$(BIN)/python -m benchmarks.paper.reproduce $(DATA) --encoder $(ENCODER) --work $(WORK) --out $(OUT) $(ARGUMENTS)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/%: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "setting up $(VENV), once: about a minute"
	@$(PIP) -e ".[$*]"
	@touch $@

clean:
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .pythons site
