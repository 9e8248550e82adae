# The two commands a newcomer needs: `make demo` and `make test`. Both set up everything themselves.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: env demo test browser lint types slow clean

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

# Chromium for the browser tests of the HTML report, which are skipped without it (Debian, as root).
browser:
	command -v chromium >/dev/null || \
	(apt-get update -qq && apt-get install -y -qq chromium chromium-driver) >/dev/null 2>&1 || \
	echo "no Chromium: the browser tests will be skipped"

slow: env
	$(BIN)/python -m pytest -m slow

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache
