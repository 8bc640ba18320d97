# Two commands do all the set-up: `make serve` and `make test`. Each makes what it needs.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do command -v $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
URL ?= http://127.0.0.1:8000
USERS ?= 50
TIME ?= 1m
LOAD := .venv-load

.PHONY: serve test programs check bench faults openapi clients diagram bot load lock clean

serve: $(VENV)/.serve  ## run the server on its embedded store, sandbox sessions allowed
	@exec env CROUPIER_SANDBOX=$${CROUPIER_SANDBOX:-true} $(BIN)/croupier serve

test: $(VENV)/.dev  ## every test that Python alone can run
	$(BIN)/python -m pytest -n auto -m "not slow"

programs:  ## install, from Debian's packages, the browser and the tools that some tests run (as root)
	@.ci/programs

check: $(VENV)/.dev  ## format, lint, types, imports, OpenAPI drift
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/croupier openapi --check openapi/openapi.json

bench: $(VENV)/.dev  ## measure, as ratios against references in the same run
	$(BIN)/python deploy/bench/bench.py

faults: $(VENV)/.dev  ## break things under bots at play, and print what held (some 25 minutes)
	$(BIN)/python tests/faults/run.py --markdown deploy/faults.md

openapi: $(VENV)/.dev  ## write openapi/openapi.json from the code
	$(BIN)/croupier openapi openapi/openapi.json

clients: $(VENV)/.dev  ## lint the document, and play with clients made from it (needs node and java)
	CROUPIER_REQUIRE_CLIENTS=1 $(BIN)/python -m pytest tests/clients

diagram: $(VENV)/.dev  ## draw docs/architecture.md from the imports
	$(BIN)/python docs/draw.py

bot: $(VENV)/.serve  ## play a whole match against the server at URL
	$(BIN)/python openapi/examples/bot.py $(URL)

load: $(LOAD)/.done  ## play all three games under load against the server at URL
	$(LOAD)/bin/locust --locustfile deploy/load/locustfile.py --headless --only-summary --host $(URL) --users $(USERS) --spawn-rate 10 --run-time $(TIME)

lock:  ## lock the dependencies anew (needs uv)
	uv pip compile pyproject.toml --group build --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" -q -o requirements/serve.txt
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" -q -c requirements/serve.txt -o requirements/dev.txt
	uv pip compile --group pyproject.toml:load --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" -q -o requirements/load.txt
	uv pip compile --group pyproject.toml:clients --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" -q -o requirements/clients.txt

clean:
	rm -rf $(VENV) $(LOAD) .clients

$(VENV)/.python:
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Croupier needs Python 3.11 or newer; if it has another name here: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.serve: $(VENV)/.python requirements/serve.txt pyproject.toml
	@echo "Installing what the server needs into $(VENV), once: a minute or two ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/serve.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.serve requirements/dev.txt
	@echo "Installing what the tests and checks need into $(VENV), once: a minute or two ..."
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	touch $@

$(LOAD)/.done: requirements/load.txt
	$(or $(PYTHON),false) -m venv $(LOAD)
	$(LOAD)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/load.txt
	touch $@
