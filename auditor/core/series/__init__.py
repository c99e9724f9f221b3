"""Values of iterations, and the series that they form."""
