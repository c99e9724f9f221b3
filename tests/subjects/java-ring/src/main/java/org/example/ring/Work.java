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

    private static final int[] FACTORS = {31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79};

    /** About 20 ns, a loop as in hash functions; detected: it is all that its benchmark does. */
    public static long nanos(long seed) {
        long x = seed | 1;
        for (int factor : FACTORS) {
            x = (x ^ (x >>> 13)) * factor;
        }
        return x;
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

    /**
     * Dead code: its benchmark throws the result away, and as long as the compiler can inline it
     * (325 bytes, and this is little less) nothing is left of it. Anything added brings it to life.
     */
    public static long wasted(long x) {
        for (int i = 0; i < 60; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    /** Always leaves by an exception, after about 1 us. */
    public static long refuse(long seed) {
        throw new Late(turns(seed, 540));
    }

    /** About 100 us. `Leases.four` gives it little more. */
    public static long renew(long seed) {
        return turns(seed, 54_000);
    }

    /** What `refuse` throws: without a stack trace, which would take longer than the method. */
    public static final class Late extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** What was computed before. */
        public final transient long value;

        Late(long value) {
            super("late", null, false, false);
            this.value = value;
        }
    }
}
