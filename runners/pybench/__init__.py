"""Python suites: pytest-benchmark; the guest runs in the audited interpreter."""
