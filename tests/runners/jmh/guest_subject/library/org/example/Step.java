package org.example;

import java.util.Arrays;

/** The JDK calls its method by the bridge that the compiler makes. */
public final class Step implements Comparable<Step> {
    private final int size;

    public Step(int size) {
        this.size = size;
    }

    @Override
    public int compareTo(Step other) {
        return Integer.compare(size, other.size);
    }

    /** Sorts by {@link #compareTo}, as the library itself. */
    public static void sort(Step... steps) {
        Arrays.sort(steps);
    }
}
