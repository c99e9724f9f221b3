"""Parts of the result of an audit, with their words."""
