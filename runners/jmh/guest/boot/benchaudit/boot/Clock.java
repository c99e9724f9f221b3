package benchaudit.boot;

/**
 * Finds what reading the clock costs, on a method that is known: a chain of some 20 ns, timed with
 * and without the two readings. An empty method would not do: the second reading overlaps with it.
 */
final class Clock {
    private static final int ROUNDS = 20;
    private static final int CALLS = 5_000;

    /** Not final, so that the compiler keeps the loop, which nothing can be moved out of. */
    private static int turns = 12;

    private static long kept = 1;

    private Clock() {}

    /** Returns nanoseconds per call: a disturbance only ever adds, so the least count. */
    static double cost() {
        double clocked = Double.MAX_VALUE;
        double plain = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            clocked = Math.min(clocked, shown());
            plain = Math.min(plain, taken());
        }
        return clocked - plain;
    }

    private static double shown() {
        Calls mine = Calls.mine();
        long calls = mine.clocked();
        long time = mine.nanos();
        long hash = kept;
        for (int call = 0; call < CALLS; call++) {
            hash = slowed(hash);
        }
        kept = hash;
        double nanos = (mine.nanos() - time) / (double) Math.max(1, mine.clocked() - calls);
        mine.forget(calls, time);
        return nanos;
    }

    private static double taken() {
        long hash = kept;
        long began = System.nanoTime();
        for (int call = 0; call < CALLS; call++) {
            hash = chain(hash);
        }
        long ended = System.nanoTime();
        kept = hash;
        return (ended - began) / (double) CALLS;
    }

    private static long slowed(long seed) {
        Delay.begin();
        long hash = seed;
        for (int turn = 0; turn < turns; turn++) {
            hash = (hash ^ (hash >>> 13)) * 0x2545F4914F6CDD1DL + turn;
        }
        Delay.end(hash);
        return hash;
    }

    private static long chain(long seed) {
        long hash = seed;
        for (int turn = 0; turn < turns; turn++) {
            hash = (hash ^ (hash >>> 13)) * 0x2545F4914F6CDD1DL + turn;
        }
        return hash;
    }
}
