# Every habit of this project is a verb here; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help run watch build test test-one fuzz sanitize soak check check-cost screens bench docs install uninstall dist clean
SHELL := /bin/bash
# The whole package, not the client alone (Package.swift).
export GATEHOUSE_COMPLETE := 1
MAKEFLAGS += --no-print-directory

swift_folders := $(wildcard Sources Tests Apps Development Examples Benchmarks/Sources)

help: ## Lists these verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Builds and starts the whole stack on one port; its state is in .gatehouse, ARGS="…" are passed on
	@Scripts/prepare.sh
	@[ -d .build/checkouts ] || echo 'The first build fetches and compiles every dependency; later ones take seconds.'
	swift build --product gatehouse
	@exec .build/debug/gatehouse dev --data .gatehouse --team-catalogue Apps/BoxScore/teams.json $(ARGS)

watch: ## Like run, and builds and starts again whenever a source changes
	@Scripts/prepare.sh
	@Scripts/watch $(ARGS)

build: ## Builds everything, without the tests
	@Scripts/prepare.sh
	swift build

test: ## Runs the tests that a change concerns, a line for each stage; FULL=1: every test; STAGES="…" runs some (Scripts/run-tests --list)
	@FULL="$(FULL)" Scripts/run-tests $(STAGES)

test-one: ## Builds and runs the tests of one target or file: T=GatehouseWireTests, T=test_golden
	@Scripts/run-tests --one "$(T)"

fuzz: ## Runs every fuzz target for 60 seconds: SECONDS_EACH=900, TARGETS="json token"; findings are kept in .build/fuzz
	@Scripts/prepare.sh
	@Scripts/fuzz --seconds $(or $(SECONDS_EACH),60) $(TARGETS)

sanitize: ## Runs the Swift tests under the thread sanitizer, drivers and hashing under the address sanitizer; on Linux
	@Scripts/prepare.sh test
	@Scripts/sanitize $(SANITIZERS)

soak: ## Runs the longest tests, about six hours, and writes Docs/soak.md; STAGES="…" runs some (Tests/Soak/run --list)
	@Tests/Soak/run $(STAGES)

check: ## Formatting, house style, prose, links, the public API, and the tests of these checks
	@Scripts/prepare.sh check
	python3 -m unittest discover --start-directory Scripts/tests
	swift format lint --strict --parallel --recursive $(swift_folders) Package.swift
	Scripts/checks/check-style
	Scripts/checks/check-text
	Scripts/checks/check-prose
	Scripts/checks/check-links
	Scripts/checks/check-api

screens: ## Photographs every screen into .build/screens, and fails when one looks wrong; ARGS="…" are passed on
	@Scripts/prepare.sh screens
	@$(MAKE) .venv/ready
	swift build --build-tests
	rm -rf .build/screens
	GATEHOUSE_PICTURES=$(CURDIR)/.build/screens swift test --skip-build --filter '^AppsTests\.PicturesTests'
	.venv/bin/python3 Scripts/documentation/take-pictures .build/screens $(ARGS)

bench: ## Measures a release build against references of the same run; ARGS="…" are passed on
	@Scripts/prepare.sh bench
	@$(MAKE) .venv/ready
	swift build $$(Scripts/release/release-options)
	swift build $$(Scripts/release/release-options gatehouse-seed)
	.venv/bin/python3 Benchmarks/run $(ARGS)

docs: ## Builds the documentation of the libraries as a site in .build/docs/site; ARGS="--base /path" are passed on
	@Scripts/prepare.sh check
	swift build --target GatehouseUI
	swift build --target GatehouseTesting
	swift build --target GatehouseDesktop
	Scripts/documentation/make-docs $(ARGS)
	@echo 'To read it: python3 -m http.server --directory .build/docs/site, then http://localhost:8000/documentation'

check-cost: ## Counts the instructions of each kind of request, and compares them with the last release's; ARGS="…" are passed on
	@Scripts/prepare.sh cost
	Benchmarks/costs $(ARGS)

install: ## Builds the release program and installs it below PREFIX=/usr/local; DESTDIR=… for the tree of a package
	@Scripts/prepare.sh
	@Scripts/release/install --prefix "$(or $(PREFIX),/usr/local)" --destination "$(or $(DESTDIR),/)"

uninstall: ## Removes what install with the same PREFIX wrote
	@Scripts/release/install --remove --prefix "$(or $(PREFIX),/usr/local)" --destination "$(or $(DESTDIR),/)"

dist: ## Builds tarball, Debian package, bill of materials and checksums in .build/dist/packages, the same bytes each time
	@Scripts/prepare.sh dist
	Scripts/release/dist $(ARGS)

clean: ## Removes what was built; the state in .gatehouse stays
	rm -rf .build .venv Benchmarks/.build

.venv/ready: Tests/External/requirements.txt Tests/External/requirements-alone.txt
	python3 -m venv .venv
	.venv/bin/python3 -m pip install --quiet --disable-pip-version-check --requirement $<
	.venv/bin/python3 -m pip install --quiet --disable-pip-version-check --no-deps --requirement $(word 2,$^)
	@touch $@
