# The commands people type. `make` alone lists them.

PYTHON := $(shell tools/find_python.sh 2>/dev/null)
VENV := .venv/bin
# rustup puts cargo here and the shell often does not know yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
export RUST_BACKTRACE ?= 1
export MAKE
# One choice of packages and features for all that is compiled in the dev profile, so that Arrow
# is compiled once.
ALL := --workspace --all-features --locked
# The wheel that the tests install.
WHEELS := target/wheels-under-test

.DEFAULT_GOAL := help
.NOTPARALLEL:

.PHONY: help
help: ## This list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 24

.PHONY: demo
demo: ## Replay a day-by-day log of real flights over a Kinesis stream; needs Rust and a C compiler
	@tools/prerequisites.sh rust cc
	@cargo run --quiet --locked --profile demo -p shardlane --features cli -- demo

.PHONY: test
test: ## All checks that CI runs: format, lints, Rust, C, C++, Python, stubs, README
	@tools/prerequisites.sh rust cc python
	@$(PYTHON) tools/steps.py format lint test-rust test-c test-python stubs lint-python test-readme \
	    test-page

.PHONY: test-all
test-all: ## `make test`, then the slow parts below
	@tools/prerequisites.sh rust cc python
	@$(PYTHON) tools/steps.py format lint test-rust test-c test-python stubs lint-python \
	    test-readme test-page docs test-clients test-memory test-asan test-avx512 test-neon test-fuzz \
	    test-fresh

.PHONY: format
format: ## Is the Rust code formatted?
	@cargo fmt --version >/dev/null 2>&1 || \
	    { echo "skipped: rustfmt is missing; type: rustup component add rustfmt"; exit 0; }; \
	cargo fmt --all --check

.PHONY: lint
lint: ## Clippy, with every warning an error
	@cargo clippy --version >/dev/null 2>&1 || \
	    { echo "skipped: clippy is missing; type: rustup component add clippy"; exit 0; }; \
	cargo clippy $(ALL) --all-targets -- -D warnings

.PHONY: build
build:
	@cargo build $(ALL) --lib --bins --tests --examples

.PHONY: test-rust
test-rust: build ## Rust tests, examples in the documentation, and the drift of the C header
	@cargo test $(ALL) --no-fail-fast

.PHONY: test-c
test-c: build ## C11 and C++17 programs against the header and both libraries
	@tools/test_c.sh target/debug

.PHONY: venv
venv:
	@tools/prerequisites.sh python
	@$(PYTHON) tools/fill_venv.py

.PHONY: wheel
wheel: venv
	@rm -rf $(WHEELS)
	@$(VENV)/maturin build --quiet --locked --profile dev --manifest-path python/Cargo.toml \
	    --interpreter $(CURDIR)/$(VENV)/python --out $(WHEELS)
	@$(VENV)/python -m pip --disable-pip-version-check install --quiet --no-deps \
	    --force-reinstall $(WHEELS)/*.whl

.PHONY: test-python
test-python: wheel ## Python tests and docstring examples against a wheel built and installed here
	@cd python && ../$(VENV)/python -m pytest -ra

.PHONY: stubs
stubs: wheel ## Do the type stubs say what the module has?
	@$(VENV)/python -m mypy.stubtest shardlane._shardlane

.PHONY: lint-python
lint-python: wheel ## Ruff and mypy
	@$(VENV)/ruff check tools python
	@$(VENV)/ruff format --check tools python
	@cd python && ../$(VENV)/mypy
	@$(VENV)/mypy --strict --exclude clients tools

.PHONY: test-readme
test-readme: wheel ## Every command and program of README.md, as printed
	@$(VENV)/python tools/readme.py

.PHONY: test-page
test-page: wheel ## Reports in a headless Chromium: phone, desk, dark, print; PICTURES=FOLDER keeps them
	@SHARDLANE_PICTURES=$(PICTURES) tools/test_page.sh

.PHONY: readme
readme: wheel ## Run README.md and write in what its commands print
	@SHARDLANE_BLESS=1 $(VENV)/python tools/readme.py

.PHONY: bench
bench: ## Criterion benches; results also under target/criterion
	@tools/prerequisites.sh rust cc
	@cargo bench --locked -p shardlane-benches

.PHONY: bench-librdkafka
bench-librdkafka: ## Kafka partitions beside librdkafka's own hashes, which it builds; BACKEND=avx2 for one
	@tools/prerequisites.sh rust cc
	@cd benches/peers/librdkafka && cargo run --quiet --release --locked -- $(BACKEND)

.PHONY: header
header: ## Rewrite capi/include/shardlane.h from capi/src
	@SHARDLANE_BLESS=1 cargo test $(ALL) --quiet --test header
	@git --no-pager diff --stat -- capi/include

.PHONY: docs
docs: ## The Rust documentation, under target/doc
	@RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --locked --no-deps

.PHONY: test-asan
test-asan: ## The C programs and the C library under AddressSanitizer
	@tools/test_asan.sh

.PHONY: test-clients
test-clients: wheel ## Real clients and emulators, key by key; -k NAME for one: CLIENTS="-k java"
	@cd tools/clients/tests && ../../../$(VENV)/python -m pytest -rs -p no:cacheprovider $(CLIENTS)

.PHONY: test-memory
test-memory: ## Resident memory of a replay of 200 million rows from a pipe
	@tools/prerequisites.sh rust cc python
	@cargo build --quiet --locked --profile demo -p shardlane --features cli
	@$(PYTHON) tools/test_memory.py target/demo/shardlane

.PHONY: test-avx512
test-avx512: ## The lanes on an emulated CPU with AVX-512
	@tools/test_avx512.sh

.PHONY: test-neon
test-neon: ## The lanes on an emulated 64-bit Arm CPU
	@tools/test_neon.sh

.PHONY: test-fuzz
test-fuzz: ## Each fuzz target for SECONDS (60) seconds
	@tools/test_fuzz.sh

.PHONY: test-fresh
test-fresh: ## Clone, demo, test and install on a bare Debian, as a stranger would
	@tools/test_fresh.sh
