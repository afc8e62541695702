# Every target sets up .venv first when it is absent or older than what it is made from.

PYTHON_IN_VENV := .venv/bin/python
SETUP_FILES := pyproject.toml apt-packages.txt tools/setup.sh

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench accept docs clean

help: ## say what the targets do
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: .venv/.stamp ## make a small benchmark from two demo databases and score it
	.venv/bin/benchlake demo

test: .venv/.stamp-dev ## run every test
	$(PYTHON_IN_VENV) -m pytest -n auto --maxprocesses 4

lint: .venv/.stamp-dev ## check style, format, types and import contracts
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

bench: .venv/.stamp-dev ## run every benchmark
	set -e; for file in benchmarks/*.py; do $(PYTHON_IN_VENV) "$$file"; done

accept: .venv/.stamp-dev ## run the acceptance checks on whole corpora, with a table at the end
	$(PYTHON_IN_VENV) tests/accept/run.py

docs: .venv/.stamp-dev ## write docs/schema.md and docs/commands.md anew
	$(PYTHON_IN_VENV) docs/generate.py

clean: ## remove .venv, caches and built files
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.stamp: $(SETUP_FILES)
	bash tools/setup.sh run

.venv/.stamp-dev: $(SETUP_FILES)
	bash tools/setup.sh dev
