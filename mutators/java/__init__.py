"""Java: methods are found in byte code and slowed there, by the agent's instructions."""
