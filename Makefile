# The two commands of the README, the quick and the long tests, and the checks. Everything else is in
# scripts/.

.PHONY: demo test quick test-long tools check docs setup

demo: setup
	scripts/demo

test: check tools
	scripts/test
	.venv/bin/python scripts/guards --turn $$(git rev-list --count HEAD)

quick: setup
	scripts/quick

test-long: setup tools
	scripts/test --long

tools: setup
	scripts/toolchains >/dev/null
	scripts/browser
	scripts/actionlint
	scripts/gradle
	scripts/docker
	scripts/ssh

docs: setup
	.venv/bin/python -m sphinx -q -W -n -A versions="$(DOCS_VERSIONS)" docs build/docs

check: setup
	scripts/check

setup:
	scripts/setup
