"""Paths and files of others, and which command a file of ours belongs to."""
