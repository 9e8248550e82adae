# The two commands a newcomer needs: `make demo` and `make test`. Both set up everything themselves.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: env demo test lint types slow clean

env: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

demo: env
	$(BIN)/arcs demo --out demo

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env
	$(BIN)/mypy

test: env lint types
	$(BIN)/python -m pytest -n 2 -m 'not slow'

slow: env
	$(BIN)/python -m pytest -m slow

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache
