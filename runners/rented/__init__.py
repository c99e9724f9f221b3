"""Machines that are rented for an audit: none outlives it unseen."""
