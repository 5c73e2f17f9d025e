# What a person runs here. `make` alone lists it; CI runs `make test`.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# Debug builds: they compile in a third of the time, and overflow and precondition traps stay on in the tests.
# The import check makes an import that Package.swift does not allow an error.
BUILD_FLAGS := --explicit-target-dependency-import-check error
STATIC_FLAGS := -c release --static-swift-stdlib
# swift build locks .build itself; one job at a time keeps the output readable under make -j.
.NOTPARALLEL:

.PHONY: help bootstrap libraries build demo check lint tidy test chaos mutants states bench release clean format

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap: ## install what is missing (Debian packages, .venv); quiet when nothing is
	@scripts/bootstrap

# What a build needs; a machine without Python still builds and runs the demo.
libraries:
	@scripts/bootstrap --build

build: libraries ## debug build of everything
	swift build $(BUILD_FLAGS)

demo: libraries ## build, then run the whole pipeline on this machine: no broker, no database needed
	@swift build $(BUILD_FLAGS) --product checkout
	@"$$(swift build --show-bin-path)/checkout" demo $(ARGS)

check: lint build tidy ## format, style rules, warnings, imports

lint: ## formatting and lint rules of .swift-format
	swift format lint --strict --parallel --recursive Package.swift Sources Tests

tidy: libraries ## the style rules that are tests
	swift test $(BUILD_FLAGS) --filter TidyTests

test: bootstrap lint ## everything CI runs: lint, warnings, style rules, all tests
	swift test $(BUILD_FLAGS)

chaos: bootstrap ## the fault suite's long form (about an hour): kill -9, rebalances, outages; SEED=N runs one seed again
	swift build $(BUILD_FLAGS) --product checkout
	@.venv/bin/python Tests/Chaos/chaos.py --long --program "$$(swift build --show-bin-path)/checkout" $(ARGS)
	CHECKOUT_CHAOS=1 swift test $(BUILD_FLAGS) --filter ReconciliationTests

mutants: libraries ## plant faults one by one; the simulation must find each (minutes)
	Tests/Mutants/run $(ARGS)

states: libraries ## write docs/states.md anew, from the state machine
	CHECKOUT_WRITE_DOCS=1 swift test $(BUILD_FLAGS) --filter StateDocumentTests

bench: libraries ## measure beside peers in one run (release build): JSON, engine, exactly-once, journal, order, idle, backlog, latency
	swift build $(BUILD_FLAGS) -c release --product checkout-bench
	@"$$(swift build -c release --show-bin-path)/checkout-bench" json
	@bench/run $(ARGS)

release: libraries ## static, stripped binary and its checksum in dist/
	swift build $(BUILD_FLAGS) $(STATIC_FLAGS) --product checkout
	mkdir -p dist
	install -m 755 "$$(swift build $(STATIC_FLAGS) --show-bin-path)/checkout" dist/checkout
	strip dist/checkout
	cd dist && sha256sum checkout > checkout.sha256 && ls -l checkout

format: ## rewrite the sources in the project's format
	swift format --in-place --parallel --recursive Package.swift Sources Tests

clean: ## remove what was built; .venv stays
	rm -rf .build dist out
