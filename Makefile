# Everything a developer runs. Each target sets up what it needs; `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format types lock schemas wheel clean

BIN := .venv/bin
# The top-level folders that ship, core/ apart: it is the root package of the others.
FOLDERS := $(filter-out core,$(patsubst %/__init__.py,%,$(wildcard */__init__.py)))
FARM := build/typed/repo_guardian
LOCK := --universal --python-version 3.11 --generate-hashes --only-binary :all: \
	--no-emit-index-url --emit-build-options --custom-compile-command 'make lock'

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 10

setup: ## create .venv with the locked dependencies; does nothing when it is up to date
	@scripts/setup.sh

demo: setup ## find and prove one documented breakage between two real releases
	@$(BIN)/python examples/demo/run.py

test: setup ## run every test; ARGS= are handed to pytest
	@$(BIN)/pytest $(ARGS)

lint: setup ## check style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: setup ## apply the formatter and the safe fixes
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# mypy does not follow an ordinary editable install; a strict one it follows, but that links file by file
# and would need a reinstall for each new file. Links to whole folders stay right.
types: setup ## check the types of all packages, strictly
	@rm -rf $(FARM) && mkdir -p $(FARM)
	@ln -s $(addprefix $(CURDIR)/,$(filter-out core/__pycache__,$(wildcard core/*)) $(FOLDERS)) $(FARM)/
	@$(BIN)/mypy --package repo_guardian \
		| sed -E 's#^$(FARM)/(($(subst $(eval ) ,|,$(FOLDERS)))/)#\1#; s#^$(FARM)/#core/#'

lock: setup ## resolve requirements.lock anew
	@$(BIN)/uv pip compile pyproject.toml --group dev $(LOCK) --upgrade --quiet -o requirements.lock

schemas: setup ## write docs/schemas from the models
	@$(BIN)/python -m repo_guardian.client.report.schema > docs/schemas/report-1.json

wheel: setup ## build the wheel and the source distribution into dist/
	@rm -rf build/lib build/bdist.* && $(BIN)/python -m build --no-isolation

clean: ## remove everything that can be made again
	@rm -rf .venv .demo build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
