"""The API benchmarking score: which slowdowns of methods the suite detects."""
