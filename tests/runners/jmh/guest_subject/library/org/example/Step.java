package org.example;

import java.util.Arrays;
import java.util.function.Supplier;

/** Others call its methods by the bridges that the compiler makes. */
public final class Step implements Comparable<Step>, Supplier<String> {
    private final int size;

    public Step(int size) {
        this.size = size;
    }

    @Override
    public int compareTo(Step other) {
        return Integer.compare(size, other.size);
    }

    @Override
    public String get() {
        return "step";
    }

    /** As Kotlin's compiler names what fills in default arguments. */
    public static String get$default(Step step) {
        return step.get();
    }

    /** Sorts by {@link #compareTo}, as the library itself. */
    public static void sort(Step... steps) {
        Arrays.sort(steps);
    }
}
