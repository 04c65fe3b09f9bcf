# `make demo` and `make test` set up what they need in .venv; nothing else has to be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt

.PHONY: demo test lint bench clean

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

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/%: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "setting up $(VENV), once: about a minute"
	@$(PIP) -e ".[$*]"
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
