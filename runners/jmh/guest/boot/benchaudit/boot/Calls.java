package benchaudit.boot;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * What one thread has called. Cells are per thread: a counter shared between threads would slow
 * all of them, and differently in each arm.
 */
public final class Calls {
    private static final List<Calls> ALL = new ArrayList<>();
    private static final ThreadLocal<Calls> MINE =
            new ThreadLocal<Calls>() {
                @Override
                protected Calls initialValue() {
                    return register(new Calls(Thread.currentThread()));
                }
            };
    private static final int FIRST_SWEEP = 256;

    private static int methods;
    private static int sweepAt = FIRST_SWEEP;
    private static Calls gone = new Calls(null);

    final int[] inside = new int[methods];
    int fixtures;
    private final Thread owner;
    private final long[] counts = new long[methods];
    private final long[] outside = new long[methods];
    private final boolean[] nested = new boolean[methods];
    private int depth;
    private int arm;
    private long started;
    private long clocked;
    private long nanos;

    private Calls(Thread owner) {
        this.owner = owner;
    }

    /** Says how many methods are counted; before the first of them runs. */
    public static void count(int number) {
        methods = number;
        gone = new Calls(null);
    }

    static Calls mine() {
        return MINE.get();
    }

    void enter(int method) {
        if (inside[method]++ > 0) {
            nested[method] = true;
        } else if (fixtures > 0) {
            outside[method]++;
        } else {
            counts[method]++;
        }
    }

    /** The slow path of {@link Delay#begin}: the clock is read last. */
    static void begin() {
        Calls mine = MINE.get();
        if (mine.arm != Delay.arm) {
            mine.arm = Delay.arm;
            mine.depth = 0;
        }
        if (mine.depth++ == 0 && Delay.wait != Delay.WORK) {
            mine.started = System.nanoTime();
        }
    }

    /** The slow path of {@link Delay#end}: the clock is read first. */
    static void end() {
        int wait = Delay.wait;
        long now = wait == Delay.WORK ? 0 : System.nanoTime();
        Calls mine = MINE.get();
        // Another arm may have been chosen while the call was running, in a thread of the subject.
        if (mine.arm != Delay.arm || --mine.depth > 0 || mine.fixtures > 0) {
            return;
        }
        if (wait == Delay.WORK) {
            Delay.turn();
        } else if (wait == Delay.CLOCK) {
            mine.clocked++;
            mine.nanos += now - mine.started;
        } else if (wait == Delay.SPIN) {
            spin(now, (long) (Delay.factor * (now - mine.started)));
        } else {
            sleep((long) (Delay.factor * (now - mine.started)));
        }
    }

    private static void spin(long now, long wanted) {
        while (System.nanoTime() - now < wanted) {
            Thread.onSpinWait();
        }
    }

    private static void sleep(long wanted) {
        if (wanted <= 0) {
            return;
        }
        try {
            Thread.sleep(wanted / 1_000_000, (int) (wanted % 1_000_000));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Clocks {@code calls} empty calls and forgets them; returns seconds per call. */
    static double empty(int calls) {
        Calls mine = MINE.get();
        long before = mine.nanos;
        long counted = mine.clocked;
        for (int call = 0; call < calls; call++) {
            Delay.begin();
            Delay.end();
        }
        double seconds = (mine.nanos - before) * 1e-9 / Math.max(1, mine.clocked - counted);
        mine.nanos = before;
        mine.clocked = counted;
        return seconds;
    }

    /** Returns the sum over all threads so far, those that have ended included. */
    public static Totals totals() {
        synchronized (ALL) {
            Calls sum = new Calls(null);
            sum.add(gone);
            for (Calls calls : ALL) {
                sum.add(calls);
            }
            return new Totals(sum.counts, sum.outside, sum.nested, sum.clocked, sum.nanos);
        }
    }

    private static Calls register(Calls calls) {
        synchronized (ALL) {
            if (ALL.size() >= sweepAt) {
                sweep();
            }
            ALL.add(calls);
        }
        return calls;
    }

    /** A subject may start a thread per operation: cells of ended ones are folded into one. */
    private static void sweep() {
        for (Iterator<Calls> each = ALL.iterator(); each.hasNext(); ) {
            Calls calls = each.next();
            if (!calls.owner.isAlive()) {
                gone.add(calls);
                each.remove();
            }
        }
        sweepAt = Math.max(FIRST_SWEEP, 2 * ALL.size());
    }

    private void add(Calls other) {
        for (int method = 0; method < other.counts.length; method++) {
            counts[method] += other.counts[method];
            outside[method] += other.outside[method];
            nested[method] |= other.nested[method];
        }
        clocked += other.clocked;
        nanos += other.nanos;
    }
}
