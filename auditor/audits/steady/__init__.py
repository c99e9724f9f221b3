"""When is a series warm? One file for each detector; all answer as `detector` says."""
