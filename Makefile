# The two commands of the README, and the checks. Everything else is in scripts/.

.PHONY: demo test check setup

demo: setup
	scripts/demo

test: check
	scripts/browser
	scripts/test

check: setup
	scripts/check

setup:
	scripts/setup
