# Two commands: `make certify` judges a target, `make test` tests the suite itself.

PYTHON ?= python3
TARGET ?= reference
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .ci/constraints.txt --editable

SECONDS ?= 600

.PHONY: certify test format pictures fuzz clean

certify: .venv/judges
	$(BIN)/appliance-conformance run $(TARGET) --certify

test: .venv/develops
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder conformance/selftest

format: .venv/develops
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pictures: .venv/develops
	$(BIN)/python -m conformance.selftest.pictures

fuzz: .venv/develops
	$(INSTALL) '.[fuzz]'
	for reader in decoder ledger profile; do \
		mkdir -p reports/out/fuzzing/$$reader && \
		$(BIN)/python -m conformance.selftest.fuzzing $$reader -max_total_time=$(SECONDS) -artifact_prefix=reports/out/fuzzing/ \
			reports/out/fuzzing/$$reader conformance/selftest/fuzzing/corpus/$$reader || exit 1; \
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
