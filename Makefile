# `make demo` and `make test` set up what they need in .venv; nothing else has to be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt

ENCODER ?= bge-small-en-v1.5
WORK ?= runs
OUT ?= $(WORK)/tables

.PHONY: demo test lint bench reproduce clean

demo: $(VENV)/app
	$(BIN)/coverset demo

test: lint
	$(BIN)/pytest

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/dev
	$(BIN)/python -m benchmarks.speed --out benchmarks/results

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
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
