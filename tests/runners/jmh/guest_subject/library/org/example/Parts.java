package org.example;

/** Parts of operations; a chain of steps takes time in proportion to its steps. */
public class Parts {
    private static long chain(long seed, int steps) {
        long hash = seed;
        for (int step = 0; step < steps; step++) {
            hash = (hash ^ (hash >>> 13)) * 0x2545F4914F6CDD1DL + step;
        }
        return hash;
    }

    public static long inlined(long seed) {
        return chain(seed, 150);
    }

    public static long called(long seed) {
        return chain(seed, 150);
    }

    /** Takes as long as the other parts for the same number of steps. */
    public static long rest(long seed, int steps) {
        return chain(seed, steps);
    }

    /** The compiler removes calls that drop the result. */
    public static long unused(long seed) {
        return seed * 31 + 7;
    }

    /** HotSpot has no debug information for most of this loop where it is inlined. */
    public static <E extends Comparable<E>> E greatest(E[] items, E least) {
        E best = least;
        for (int at = 0; at < items.length; at++) {
            E item = items[(at + 1) % items.length];
            if (item.compareTo(best) > 0) {
                best = item;
            }
        }
        return best;
    }
}
