# Two commands: `make certify` judges a target, `make test` tests the suite itself.

PYTHON ?= python3
TARGET ?= reference
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .ci/constraints.txt --editable

# One more than there are cores: many tests wait for what must not happen.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder conformance/selftest

SECONDS ?= 600
SAMPLE ?= 300

# Tests start hundreds of interpreters: none should compile the suite again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: certify test check lint style imports types selftest format prove-all bench pictures fuzz mutation clean

certify: .venv/judges
	$(BIN)/appliance-conformance run $(TARGET) --certify

test: style
	$(BIN)/python -m conformance.selftest.support.browsing
	$(MAKE) --no-print-directory --jobs=3 types imports selftest

# For the inner loop: what starts processes or whole runs (selftest/conftest.py) is left to `make test`. The types
# take one core for as long as all the rest, which makes way for them.
check: style
	$(MAKE) --no-print-directory --jobs=3 types imports selftest PYTEST="nice -n 5 $(PYTEST) --brief"

lint: style imports types

style: .venv/develops
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .

imports: .venv/develops
	$(BIN)/lint-imports

types: .venv/develops  # one thread for half a minute, while the tests run
	$(BIN)/pyright

selftest: .venv/develops
	$(PYTEST)

format: .venv/develops
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Every mutant and variant in each way of running: one lane and sixteen, whole and in shards. And the whole of
# each enumeration of which `make test` tries a part.
prove-all: .venv/develops
	$(BIN)/python -m conformance.proof
	WHOLE_ENUMERATIONS=1 $(BIN)/pytest -n $(WORKERS) $$(grep -rlE "support.rows import .*drawn" conformance/selftest)

# The suite beside what people would use instead; wants a machine that does nothing else.
bench: .venv/develops
	$(BIN)/python -m conformance.benchmarks

pictures: .venv/develops
	$(BIN)/python -m conformance.selftest.house.pictures

fuzz: .venv/develops
	$(INSTALL) '.[fuzz]'
	for reader in decoder ledger profile; do \
		mkdir -p reports/out/fuzzing/$$reader && \
		$(BIN)/python -m conformance.selftest.fuzzing $$reader -max_total_time=$(SECONDS) -artifact_prefix=reports/out/fuzzing/ \
			reports/out/fuzzing/$$reader conformance/selftest/fuzzing/corpus/$$reader || exit 1; \
	done

mutation: .venv/develops
	$(INSTALL) '.[mutation]'
	for room in checks model harness reports; do \
		$(BIN)/python -m conformance.selftest.mutation $$room --sample $(SAMPLE) || exit 1; \
	done

clean:
	rm -rf .venv reports/out

# What stands beside the rooms is installed as a copy.
.venv/judges: pyproject.toml .ci/constraints.txt $(wildcard conformance/script/*.py)
	$(PYTHON) -m venv .venv
	$(INSTALL) .
	touch $@

.venv/develops: .venv/judges
	$(INSTALL) '.[dev]'
	touch $@
