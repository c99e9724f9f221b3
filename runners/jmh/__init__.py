"""JMH: Java projects and artifacts, their benchmarks, and the guest that runs with them."""
