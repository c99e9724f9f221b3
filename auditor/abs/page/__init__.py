"""The HTML report of an audit."""
