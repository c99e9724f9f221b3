"""The engine: plans trials, runs the suite, counts calls, and reads what came out."""
