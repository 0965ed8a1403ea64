# Everything a newcomer needs: `make demo` and `make test` work on a machine with python3, git and make.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
PREFIX ?= $(HOME)/.local
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Without its compiled files, Python compiles every test and every module again at each start.
unexport PYTHONDONTWRITEBYTECODE
# Half of a test is waiting for processes, so two per core.
TEST_ARGS ?= -n $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN)) $(SECOND_TRY)

.PHONY: help all build install fmt demo test slow honesty guard-corpus check lint types layers docs docs-check picture e2e wheel bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Each stamp is one set of pinned requirements; the project itself is installed once, in place.
$(VENV)/.run: requirements/run.txt requirements/build.txt pyproject.toml src/bin/ralph
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ralph needs Python 3.11 or newer; this is $$($(PYTHON) --version). Choose another: make PYTHON=python3.12 ..." >&2; exit 2; }
	@echo "Preparing $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --require-hashes -r requirements/build.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.run
	@$(PIP) install --require-hashes -r requirements/test.txt
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.test
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

all: fmt lint test build ## format, lint, test, build

build: $(VENV)/.run ## build the wheel in dist/ and the program ./ralph
	@rm -rf dist
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	@ln -sfn $(BIN)/ralph ralph
	@echo "Built $$(ls dist/*.whl), and ./ralph ($$(./ralph --version))"

install: build ## install ralph into an environment of its own, with the program in PREFIX/bin (~/.local/bin)
	@$(PYTHON) -m venv --clear "$(PREFIX)/share/ralph-engine"
	@"$(PREFIX)/share/ralph-engine/bin/python" -m pip --quiet --disable-pip-version-check install --require-hashes -r requirements/run.txt
	@"$(PREFIX)/share/ralph-engine/bin/python" -m pip --quiet --disable-pip-version-check install --no-deps dist/*.whl
	@mkdir -p "$(PREFIX)/bin" && ln -sfn "$(PREFIX)/share/ralph-engine/bin/ralph" "$(PREFIX)/bin/ralph"
	@echo "Installed $(PREFIX)/bin/ralph ($$("$(PREFIX)/bin/ralph" --version))"

fmt: $(VENV)/.dev ## format the code
	@$(BIN)/ruff format .

demo: $(VENV)/.run ## watch a loop catch a false "done" (no account, no network, under a minute)
	@$(BIN)/ralph demo

test: $(VENV)/.test ## the tests (under five minutes)
	@$(BIN)/python -m pytest $(TEST_ARGS) -m "not e2e"

honesty: $(VENV)/.test ## attacks and honest controls against ralph: 0 false done, 0 missed done (HONESTY="-k NAME" for some)
	@$(BIN)/python -m honesty -j 2 $(HONESTY)

guard-corpus: $(VENV)/.test ## what the command guard catches, misses and falsely denies of a corpus of commands
	@PYTHONPATH=tests $(BIN)/python tests/guard_corpus.py

check: lint types layers docs-check test ## everything that must hold before a commit

lint: $(VENV)/.dev ## formatting and lint
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: $(VENV)/.dev ## basedpyright, strict
	@$(BIN)/basedpyright

layers: $(VENV)/.dev ## who may import whom
	@$(BIN)/lint-imports

docs: $(VENV)/.run ## write the generated pages again
	@$(BIN)/python -m ralph.config.docs docs/settings.md

picture: $(VENV)/.run ## draw docs/demo.svg and docs/screens/ again (needs tmux)
	@$(BIN)/python docs/picture.py
	@$(BIN)/python docs/screens.py

docs-check: $(VENV)/.run ## fail if a generated page is stale
	@$(BIN)/python -m ralph.config.docs --check docs/settings.md

slow: $(VENV)/.test ## the tests that take more than a second, and random kills (KILLS=60)
	@$(BIN)/python -m pytest $(TEST_ARGS) -m slow

e2e: $(VENV)/.test ## slow matrices and the real agents (installed from npm into a cache outside the repository)
	@AGENTS_CACHE="$$($(BIN)/python tests/e2e/install_agents.py)" $(BIN)/python -m pytest $(TEST_ARGS) -m e2e

wheel: $(VENV)/.run ## build the wheel and play the demo from it in a fresh environment
	@rm -rf build/wheel && mkdir -p build/wheel
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir build/wheel .
	@$(PYTHON) -m venv build/wheel/venv
	@build/wheel/venv/bin/python -m pip --quiet --disable-pip-version-check install --require-hashes -r requirements/run.txt
	@build/wheel/venv/bin/python -m pip --quiet --disable-pip-version-check install --no-deps build/wheel/*.whl
	@build/wheel/venv/bin/ralph --version
	@build/wheel/venv/bin/ralph demo

bench: $(VENV)/.run ## speed and memory beside a bash loop, as ratios
	@$(BIN)/python benchmarks/run.py

# uv resolves for every platform at once; hashes, never addresses.
lock: ## pin the requirements again (needs uv on PATH)
	@uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate --python-version 3.11 pyproject.toml -o requirements/run.txt
	@for group in build test dev; do \
	  uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate --python-version 3.11 --group $$group -o requirements/$$group.txt; \
	done

clean: ## remove what was built
	@if [ -L ralph ]; then rm ralph; fi
	@rm -rf $(VENV) dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
