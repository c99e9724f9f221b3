package org.example.ring;

/** Arithmetic that no compiler can shorten: each turn needs the one before. */
public final class Work {
    private Work() {}

    /** Nearly two nanoseconds a turn: a multiplication, a shift and an addition in a chain. */
    static long turns(long seed, int turns) {
        long x = seed | 1;
        for (int i = 0; i < turns; i++) {
            x = (x ^ (x >>> 13)) * 0x2545F4914F6CDD1DL + i;
        }
        return x;
    }

    /** About 20 ns; detected: it is all that its benchmark does. */
    public static long nanos(long seed) {
        return turns(seed, 11);
    }

    /** About 1 us; detected. */
    public static long micros(long seed) {
        return turns(seed, 540);
    }

    /** About 100 us; detected. */
    public static long hundredMicros(long seed) {
        return turns(seed, 54_000);
    }

    /** About 1 us; missed: a tenth of the operation of `Shares.tenth`. */
    public static long tenth(long seed) {
        return turns(seed, 540);
    }

    /** About 9 us; detected: nine tenths of the same operation. */
    public static long nineTenths(long seed) {
        return turns(seed, 4_860);
    }

    /** Dead code: `Dead.unused` throws its result away, so the compiler may drop the call. */
    public static int unused(int value) {
        return value * 31 + (value >>> 3);
    }
}
