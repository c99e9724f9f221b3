package org.example;

/** A library of methods with every way in and out. */
public class Work {
    private final int kept;

    public Work(int size) {
        this(size, checked(size) ? 1 : new Object().hashCode());
    }

    public Work(int size, int factor) {
        super();
        if (size < 0) {
            throw new IllegalArgumentException("negative");
        }
        this.kept = factor * turns(size);
    }

    public int kept() {
        return kept;
    }

    private static boolean checked(int size) {
        return size > -1000;
    }

    public static int turns(int size) {
        int hash = size;
        for (int turn = 0; turn < 2000; turn++) {
            hash = hash * 31 + turn;
        }
        return hash;
    }

    /** Lasts until it is told to leave. */
    public static void stay(java.util.concurrent.Semaphore begun, java.util.concurrent.Semaphore leave) {
        begun.release();
        leave.acquireUninterruptibly();
    }

    private static final int[] FACTORS = {31, 37, 41, 43, 47, 53, 59, 61, 67, 71};

    /** Some 15 ns: each turn needs the one before. */
    public static long brief(long seed) {
        long hash = seed;
        for (int factor : FACTORS) {
            hash = (hash ^ (hash >>> 13)) * factor;
        }
        return hash;
    }

    public static int thrown(int size) {
        int hash = turns(size);
        if (size != hash + 1) {
            throw new IllegalStateException("as asked");
        }
        return hash;
    }

    public static int branches(int size) {
        for (int turn = 0; turn < 10; turn++) {
            if (turn == size) {
                return turns(size);
            }
        }
        try {
            return thrown(size);
        } catch (IllegalStateException error) {
            return -turns(size);
        } finally {
            turns(1);
        }
    }

    public static long deep(int depth) {
        return depth == 0 ? turns(depth) : 1 + deep(depth - 1);
    }

    public <T extends Comparable<? super T>> T greater(T one, T other) {
        turns(3);
        return one.compareTo(other) > 0 ? one : other;
    }

    public static synchronized void nothing() {}

    public static int onlySetUp(int size) {
        return turns(size);
    }

    public static int eachCall(int size) {
        return turns(size);
    }

    public static int never(int size) {
        return turns(size);
    }

    public static native int absent();

    public static String text(String format, Object... values) {
        return format + values.length;
    }

    public static String text(java.util.Map<String, ? extends Number> values, int[][] more) {
        return "" + values + more.length;
    }

    /** Has a method with a body of its own. */
    public interface Greeter {
        String name();

        default String greet() {
            turns(4);
            return "hello " + name();
        }
    }

    /** Nested, and not static. */
    public class Inner {
        private final int at;

        public Inner(int at) {
            this.at = at;
        }

        public int at() {
            return at + kept;
        }
    }
}
