# The two commands a newcomer needs: `make demo` and `make test`. Both set up everything themselves.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: env demo test docs browser lint types slow clean

env: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/arcs warmup
	touch $(STAMP)

demo: env
	$(BIN)/arcs demo --out demo

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env
	$(BIN)/mypy

test: env lint types
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow' --durations=20

# The documentation site. Warnings are errors; no page may lead nowhere or load from elsewhere.
docs: env
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto -d .sphinx docs site
	$(BIN)/python tools/check_site.py site

# Chromium for the browser tests of the HTML report, which are skipped without it (Debian, as root).
browser:
	(command -v chromium && command -v chromedriver) >/dev/null || \
	(apt-get update -qq && apt-get install -y -qq chromium chromium-driver) >/dev/null 2>&1 || \
	echo "no Chromium: the browser tests will be skipped"

slow: env
	$(BIN)/python -m pytest -m slow
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.bounds-checked $(BIN)/python -m pytest -q tests/kernels/order

clean:
	rm -rf $(VENV) demo site .sphinx docs/_made docs/tutorials docs/reference/api .bounds-checked .pytest_cache .mypy_cache .ruff_cache
