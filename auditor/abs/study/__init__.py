"""What an audit measures, in which order."""
