# make demo     the auction example on one screen
# make test     lint, types and all tests
# make soak     in full: Spark's crashes, lost executors and standalone cluster; brokers that are killed 50 times
# make install  .venv with every extra and the development tools
# make bench    the benchmarks, beside their peers (QUICK=1: on small inputs)
# Each does its own set-up on a machine with Python 3.11 or later and make.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test install bench lint types tests soak java postgres format clean

demo: $(VENV)/installed-base
	@$(BIN)/semantic-pubsub demo

install: $(VENV)/installed-dev java

test: $(VENV)/installed-dev java postgres lint types tests

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

tests: $(VENV)/installed-dev
	$(BIN)/pytest -n 2 --dist loadgroup

soak: $(VENV)/installed-dev java postgres
	SEMANTIC_PUBSUB_SOAK=1 $(BIN)/pytest -n 0 tests/spark tests/broker/test_crash.py tests/broker/http/test_crash.py \
		tests/broker/http/test_random_requests.py

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.run $(if $(QUICK),--quick)

# The reasoner runs on Java 17 or later. Debian's package is installed where we may; elsewhere we say what is needed.
java:
	@sh .ci/java

# The broker's tests run on a PostgreSQL of their own as well, where there is one.
postgres:
	@sh .ci/postgres

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed: install it, or say make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed, $(PYTHON) is older: say make PYTHON=/path/to/python"; exit 1; }
	@echo "making $(VENV) (once; a minute or two)"
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make a virtual environment: on Debian install python3-venv"; exit 1; }
	@touch $@

$(VENV)/installed-base: $(VENV)/python pyproject.toml constraints.txt
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/python pyproject.toml constraints.txt
	@$(PIP) install --constraint constraints.txt --editable '.[all,dev]'
	@touch $@ $(VENV)/installed-base
