# Two commands: `make certify` judges a target, `make test` tests the suite itself.

PYTHON ?= python3
TARGET ?= reference
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .ci/constraints.txt --editable

PYTEST := $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder conformance/selftest

SECONDS ?= 600
SAMPLE ?= 300

.PHONY: certify test check lint format bench pictures fuzz mutation clean

certify: .venv/judges
	$(BIN)/appliance-conformance run $(TARGET) --certify

test: lint
	$(BIN)/python -m conformance.selftest.support.browsing
	$(PYTEST)

# For the inner loop: what takes longest is left to `make test`.
check: lint
	$(PYTEST) $(foreach name,proof/test_proof reports/test_browser reports/test_accessibility mutants/test_hostile*,--ignore-glob='*/$(name).py')

lint: .venv/develops
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: .venv/develops
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

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
	for room in checks harness reports; do \
		$(BIN)/python -m conformance.selftest.mutation $$room --sample $(SAMPLE) || exit 1; \
	done

clean:
	rm -rf .venv reports/out

.venv/judges: pyproject.toml .ci/constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) .
	touch $@

.venv/develops: .venv/judges
	$(INSTALL) '.[dev]'
	touch $@
