# Every habit of this project is a verb here; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help run build test check screens bench docs clean
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory

swift_folders := $(wildcard Sources Tests Apps Benchmarks/Sources)
# Those whose tests stand before a whole server; the tests of what is stored run on both databases by themselves.
served_suites := '^(AuthServer|ProfileGateway|EndToEnd|Gatehouse|GatehouseModel|GatehouseTesting|Acceptance)Tests\.'
# A person at a screen is the main actor, which all of these share: they want it to themselves.
screen_suites := '^(HeadlessSwiftUI|GatehouseUI|Apps|LiveScreens|Acceptance)Tests\.'

help: ## Lists these verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Builds and starts the whole stack on one port; its state is in .gatehouse, ARGS="…" are passed on
	@Scripts/prepare.sh
	@[ -d .build/checkouts ] || echo 'The first build fetches and compiles every dependency; later ones take seconds.'
	swift build --product gatehouse
	@exec .build/debug/gatehouse dev --data .gatehouse $(ARGS)

build: ## Builds everything, without the tests
	@Scripts/prepare.sh
	swift build

test: ## Runs every test: the scripts', the session explorer, Swift's, and real clients against a running server
	@Scripts/prepare.sh test
	@$(MAKE) .venv/ready
	python3 -m unittest discover --start-directory Scripts
	swift build --build-tests
	Tests/SessionExplorer/explore
	swift test --skip-build --skip $(screen_suites)
	swift test --skip-build --filter $(screen_suites)
	GATEHOUSE_TEST_DATABASE=service swift test --skip-build --filter $(served_suites)
	.venv/bin/pytest -q Tests/External

check: ## Formatting, house style, the arrows between targets, links, and the tests of these checks
	@Scripts/prepare.sh check
	python3 -m unittest discover --start-directory Scripts
	swift format lint --strict --parallel --recursive $(swift_folders) Package.swift
	Scripts/check-style
	Scripts/check-arrows
	Scripts/check-links

screens: ## Photographs every screen into .build/screens, and fails when one looks wrong; ARGS="…" are passed on
	@Scripts/prepare.sh screens
	@$(MAKE) .venv/ready
	swift build --build-tests
	rm -rf .build/screens
	GATEHOUSE_PICTURES=$(CURDIR)/.build/screens swift test --skip-build --filter '^AppsTests\.PicturesTests'
	.venv/bin/python3 Scripts/take-pictures .build/screens $(ARGS)

bench: ## Measures a release build against references of the same run; ARGS="…" are passed on
	@Scripts/prepare.sh bench
	swift build --configuration release --product gatehouse
	Benchmarks/run $(ARGS)

docs: ## Lists the pages under Docs/ and checks every link
	@Scripts/check-links --list

clean: ## Removes what was built; the state in .gatehouse stays
	rm -rf .build .venv Benchmarks/.build

.venv/ready: Tests/External/requirements.txt
	python3 -m venv .venv
	.venv/bin/python3 -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@
