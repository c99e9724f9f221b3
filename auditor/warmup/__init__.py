"""When is a series warm? Detectors, stopping rules, and models that stop a warm-up."""
