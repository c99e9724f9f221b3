package org.example.beads;

/** What some of its types are. */
public interface Shape {
    int sides();

    default boolean round() {
        return sides() == 0;
    }
}
