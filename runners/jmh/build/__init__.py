"""Builds the Java code of a subject: Maven, Gradle, JMH's generator, and the tools they need."""
