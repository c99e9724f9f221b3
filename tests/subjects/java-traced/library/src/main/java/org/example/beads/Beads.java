package org.example.beads;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** A library; how often its client's tests call each method is known. */
public class Beads {
    private static final int MADE = twice(1); // as it is loaded: from inside

    protected final int size;

    public Beads(int size) {
        this.size = size;
    }

    public Beads() {
        this(0);
    }

    public static int twice(int x) {
        return 2 * x;
    }

    public static int countDown(int n) {
        return n == 0 ? 0 : countDown(n - 1);
    }

    public static void fail(String why) {
        throw new IllegalStateException(why);
    }

    /** Calls back what it is given. */
    public static List<Integer> each(IntUnaryOperator function, int... values) {
        List<Integer> made = new ArrayList<>();
        for (int value : values) {
            made.add(twice(function.applyAsInt(value)));
        }
        return made;
    }

    /** What it returns calls from inside, whoever calls it. */
    public static Supplier<Integer> later() {
        return () -> twice(3);
    }

    public static void never() {}

    protected int ownSize() {
        return size;
    }

    private int hidden() {
        return size;
    }

    static int packaged() {
        return 1;
    }
}
