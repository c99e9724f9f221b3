"""GitHub's REST API, as much as a comment needs."""
