"""What happens in which order; written against the ports, never against a worker."""
