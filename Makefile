# The two commands of the README, and the checks. Everything else is in scripts/.

.PHONY: demo test check docs setup

demo: setup
	scripts/demo

test: check
	scripts/browser
	scripts/actionlint
	scripts/gradle
	scripts/docker
	scripts/ssh
	scripts/test

docs: setup
	.venv/bin/python -m sphinx -q -W -n docs build/docs

check: setup
	scripts/check

setup:
	scripts/setup
