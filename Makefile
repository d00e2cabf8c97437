# flowrun: the two commands that set up everything are `make run` and `make test`.

SHELL := /bin/bash
.DEFAULT_GOAL := build
RELEASE := scripts/release-build
# A trait is a flag of every module, so builds that use servers have a separate folder.
NETWORK := $(RELEASE) --scratch-path .build/network --traits Network
TEST_LIMIT ?= 30m

.PHONY: run build ui release dist test-dist python-package sync-server setup setup-% test test-servers test-clusters test-languages \
  test-seeds test-binary test-release test-long sanitize bench pipelines fuzz docs lint check data-check clean

## Installs missing packages, builds quickly (not everything is optimized), and runs the launch of the example app.
run: export FLOWRUN_QUICK_BUILD = 1
run: build
	.build/release/flowrun workflows/launch.yaml
	@[ ! -t 1 ] || printf '%s\n' \
	  'Next: change workflows/launch.yaml and run `.build/release/flowrun workflows/launch.yaml` again; `make ui` shows runs in the browser.' \
	  'docs/tutorial-pipeline.md leads to a workflow of your own, docs/tutorial-launch.md through the launch of an app.' \
	  'This binary was built quickly; `make build` builds it with everything optimized.'

## Builds the optimized release binary, .build/release/flowrun, with the Swift runtime included.
build: setup
	$(RELEASE) --product flowrun
	@.build/release/flowrun version >/dev/null || { echo '.build/release/flowrun does not run' >&2; exit 1; }

## Builds flowrun and its page in the browser, and starts it, as in make ui UI_ARGUMENTS="workflows --open"; Ctrl-C stops it.
ui: setup
	$(NETWORK) --product flowrun
	$(NETWORK) --product flowrun-ui
	.build/network/release/flowrun ui $(UI_ARGUMENTS)

## Starts PostgreSQL and the sync server on loopback, http://127.0.0.1:$(SYNC_PORT); Ctrl-C stops both.
SYNC_PORT ?= 8480
sync-server: release setup-postgres
	scripts/sync-server $(SYNC_PORT)

## Builds a release: flowrun with support for servers, its page in the browser, and the sync server.
release: setup
	$(NETWORK) --product flowrun
	$(NETWORK) --product flowrun-sync-server
	$(NETWORK) --product flowrun-ui

## Packages a release in .build/dist: an archive and a package of flowrun, packages of its page and of the sync server, and
## symbols.
dist: release
	@scripts/setup dist
	scripts/dist .build/network/release .build/dist

## Checks these packages and tests them in a bare Debian 12 and 13.
test-dist: dist
	scripts/check-packages .build/dist
	scripts/bare-systems .build/dist

## Packages the Python module for plugins, for editors and tests of plugins, as a wheel in .build/dist.
python-package:
	scripts/python-package .build/dist

## Installs the missing libraries with which flowrun is built.
setup:
	@scripts/setup build

## Installs the missing packages for tests of one kind: make setup-servers and so on; setup-test installs all.
setup-%:
	@scripts/setup $*

## Runs the tests that need only the packages installed by `make run`; a group of tests may take at most TEST_LIMIT.
test: setup
	scripts/test $(TEST_LIMIT)

## Runs the tests with the trait Network: the sync server with a real PostgreSQL, HTTP, traces, the page in Chromium, editors.
test-servers: setup-servers
	scripts/test servers $(TEST_LIMIT)

## Runs the tests on clusters: Slurm, Dask and ssh, on loopback.
test-clusters: setup-clusters
	scripts/test clusters $(TEST_LIMIT)

## Runs the tests with plugins and commands in Python, JavaScript and Perl.
test-languages: setup-languages
	scripts/test languages $(TEST_LIMIT)

## Runs random scenarios with other seeds than `make test`: SEEDS_PART, by default a number made from the date.
SEEDS_PART ?= $(shell date -u +%Y%m%d)
test-seeds: setup
	FLOWRUN_SEEDS_PART=$(SEEDS_PART) scripts/test seeds 5m

## Builds the release binary and runs the examples with it.
test-binary: setup
	$(NETWORK) --product flowrun
	scripts/examples .build/network/release/flowrun

## Runs slow tests: clusters whose nodes fail, long histories of processes, the examples with the release binary, an app that is
## built outside of this repository, and the code for Apple's platforms.
test-release: setup
	scripts/test --release 30m
	$(MAKE) test-binary
	scripts/launch-app
	scripts/apple-branches --planted
	$(MAKE) sanitize
	$(MAKE) test-dist

## Runs the tests of the engine, the store, the format and sync under AddressSanitizer and ThreadSanitizer, and with traps for
## undefined behavior in C. Builds once for each.
sanitize: setup
	scripts/sanitize undefined
	scripts/sanitize address
	scripts/sanitize thread

## Runs all tests that take longer than a few minutes. With FLOWRUN_TEST_BINARY=.build/release/flowrun, the tests of the command
## use the release binary.
test-long: setup-test
	for kind in core servers clusters languages; do FLOWRUN_LONG_TESTS=1 scripts/test $$kind 150m || exit 1; done

## Runs the benchmarks against their peers and compares the results with the committed counts. BENCH_ARGUMENTS='--only
## "start|shell"' selects some of them.
bench:
	@scripts/setup bench
	python3 Benchmarks/run.py $(BENCH_ARGUMENTS)

## Runs three small pipelines and one of 1,000 files with flowrun, ninja, Task and Snakemake, which must produce the same files
## and repeat the same stages. Installs the tools from PyPI in .build/pipelines; tools that cannot be installed are omitted.
pipelines: build
	@scripts/setup pipelines
	$$(ls .build/pipelines/bin/python3 2>/dev/null || echo python3) Benchmarks/Pipelines/compare.py .build/release/flowrun \
	  $(PIPELINES_ARGUMENTS)

## Fuzzes everything that reads user-written text, for FUZZ_SECONDS per target.
FUZZ_SECONDS ?= 60
fuzz: setup
	scripts/fuzz $(FUZZ_SECONDS)

## Writes the documentation of the libraries to .build/docs. A warning is an error.
DOCUMENTED = FlowKit FlowPluginKit FlowTestKit RouterCore GeocodeCore SyncKit
docs: setup
	FLOWRUN_DOCS=1 swift package --scratch-path .build/documentation --allow-writing-to-directory .build/docs generate-documentation \
	  $(addprefix --target ,$(DOCUMENTED)) --enable-experimental-combined-documentation --warnings-as-errors \
	  --output-path .build/docs

## Checks the format of all Swift sources.
lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests plugins Benchmarks Fuzzing Examples

## Runs all checks that a commit must pass.
check: lint test

## Generates the geocoder's tables again from their pinned sources and compares them with the committed ones and with iso-codes.
data-check:
	python3 plugins/geocode/Data/build_tables.py --check
	python3 plugins/geocode/Data/cross_check.py

clean:
	rm -rf .build
