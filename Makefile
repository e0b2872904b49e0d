# The commands of a checkout. `make help` lists them. Commands of more than a line are in scripts/.

# Cargo reads CARGO_TARGET_DIR itself; the recipes only need the folder of the binaries.
TARGET := $(or $(CARGO_TARGET_DIR),target)

.DEFAULT_GOAL := help
.PHONY: help run build test quick nightly check fmt clippy doc fresh web deny machete prose typos simulate page-health pictures crash clock foreign bench bench-data dist clean
# Cargo uses every core already, and the count of `test` has to be the last line.
.NOTPARALLEL:

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 13

# The build is quick rather than optimised, for people who try Muriel for the first time.
run: ## build, then start the demo: a server with a shop to look around in
	@scripts/build quick
	$(TARGET)/quick/muriel demo

build: ## leave the release binary at target/release/muriel
	@scripts/build

test: ## the tests in their short form (docs/testing.md), on both databases; the last line is the count
	@scripts/test

quick: ## before a commit, in minutes: style, types, unit tests and the stories of WORD on SQLite, as in make quick WORD=groups
	@scripts/quick $(WORD)

nightly: ## the long form of every test, and tests for rare failures: crashes, power cuts, clocks, foreign pages, simulations; takes hours
	@scripts/test --full

check: ## what CI runs: style, licences, generated files, then make test
	@scripts/check

fmt:
	cargo fmt --all --check

clippy:
	scripts/cargo clippy --workspace --all-targets --locked -- -D warnings

# Private items are included, as most links of the documentation lead to them.
doc:
	RUSTDOCFLAGS="-D warnings" scripts/cargo doc --workspace --no-deps --document-private-items --locked

fresh:
	scripts/fresh

web:
	scripts/web

deny:
	scripts/deny

machete:
	@scripts/tools cargo
	scripts/in-tools cargo-machete

prose:
	@scripts/prose

typos:
	@scripts/tools python
	scripts/in-tools typos

simulate: ## check the statistics on forty thousand simulated experiments and four thousand programmes; takes minutes
	@scripts/test simulate

pictures: ## draw the pictures of docs/methods.md from the engine's results
	cargo run -p muriel-stats --example pictures --locked
	cargo run -p muriel-analysis --example programmes --locked -- --picture

page-health: ## check page health on thousands of simulated experiments; takes a few minutes
	@scripts/test page-health

crash: ## kill the server, cut its power and send it slow clients, all under load; nothing acknowledged may be lost
	@scripts/test crash

clock: ## start the server with a wrong clock, and set the clock while it runs; no event may be lost
	@scripts/test clock

foreign: ## test experiments on pages by other authors, in a browser; web/foreign/run has options
	@scripts/test foreign

bench: ## compare with the peers, over HTTP and in-process, then large data; options: make bench ARGS="--reps 3"
	bench/run $(ARGS)
	bench/engines/run
	bench/stats/run
	bench/script/run
	bench/backlog.py
	bench/reports/run

bench-data: ## measure queries on a warehouse with 10 million events
	bench/reports/run

dist: ## build the one-file release with its checksum, in dist/
	scripts/dist

clean: ## remove what was built here; tools and caches stay
	cargo clean
	rm -rf dist
