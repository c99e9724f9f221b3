package benchaudit.boot;

import java.util.ArrayList;
import java.util.Arrays;
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
    private static final int MANY_SAMPLES = 4096;
    private static final int FEWER_SAMPLES = 64;

    /** Whether outermost calls that begin now are clocked; all at once would hold each other's. */
    private static boolean[] clocking = new boolean[0];

    /** Samples of each method in all threads, about: they may lose some of each other's. */
    private static int[] samples = new int[0];

    /** Whether callers are looked up after the first calls, too: not while calls are clocked. */
    private static boolean samplesAll = true;

    private static int methods;
    private static int sweepAt = FIRST_SWEEP;
    private static Calls gone = new Calls(null);

    final int[] inside = new int[methods];
    final long[] counts = new long[methods];
    final long[] outside = new long[methods];
    final boolean[] nested = new boolean[methods];
    final long[] times = new long[methods];
    final boolean[] open = new boolean[methods];
    final long[] byLibrary = new long[methods];
    final long[] byOthers = new long[methods];
    int fixtures;
    private final Thread owner;
    private final long[] since = new long[methods];
    private final long[] lastSample = new long[methods];
    private final long[] nextSample = new long[methods];
    private int depth;
    private int arm;
    private long started;
    private long clocked;
    private long nanos;
    private volatile long whole;
    private volatile double real;
    private volatile byte[] last;

    private Calls(Thread owner) {
        this.owner = owner;
    }

    /** Says how many methods are counted; before the first of them runs. */
    public static void count(int number) {
        methods = number;
        clocking = new boolean[number];
        samples = new int[number];
        gone = new Calls(null);
    }

    /** Forgets what all threads have called: another benchmark begins. */
    public static void reset() {
        synchronized (ALL) {
            sweep();
            gone = new Calls(null);
            Arrays.fill(samples, 0);
            samplesAll = true;
            for (Calls calls : ALL) {
                calls.forgetCounts();
            }
        }
    }

    private void forgetCounts() {
        Arrays.fill(counts, 0);
        Arrays.fill(outside, 0);
        Arrays.fill(nested, false);
        Arrays.fill(times, 0);
        Arrays.fill(since, 0);
        Arrays.fill(byLibrary, 0);
        Arrays.fill(byOthers, 0);
        Arrays.fill(lastSample, 0);
        Arrays.fill(nextSample, 0);
        clocked = 0;
        nanos = 0;
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
            long call = ++counts[method];
            if (call >= nextSample[method] && (samplesAll || call <= Callers.DENSE_CALLS)) {
                sampleCaller(method, call);
            }
            if (clocking[method]) {
                since[method] = System.nanoTime();
            }
        }
    }

    /**
     * A call of the sample stands for those since the one before. Where each thread makes few calls
     * those of a few threads are enough.
     */
    private void sampleCaller(int method, long call) {
        nextSample[method] = Callers.nextSample(call);
        int number = samples[method]++;
        if (number > MANY_SAMPLES && number % FEWER_SAMPLES != 0) {
            return;
        }
        Callers.Kind caller = Callers.find();
        if (caller != Callers.Kind.PLATFORM) {
            (caller == Callers.Kind.LIBRARY ? byLibrary : byOthers)[method] +=
                    call - lastSample[method];
        }
        lastSample[method] = call;
    }

    void leave(int method) {
        if (--inside[method] == 0 && since[method] != 0) {
            times[method] += System.nanoTime() - since[method];
            since[method] = 0;
        }
    }

    /** Clocks the methods whose turn it is, of those that have been called. */
    public static void clock(Totals seen, int turn, int turns) {
        int called = 0;
        for (long calls : seen.counts) {
            called += calls > 0 ? 1 : 0;
        }
        int groups = Math.max(1, Math.min(called, turns));
        int rank = 0;
        for (int method = 0; method < methods; method++) {
            boolean known = seen.counts[method] > 0;
            samplesAll &= !known;
            clocking[method] = known && rank % groups == turn % groups;
            rank += known ? 1 : 0;
        }
    }

    /** Tells whether calls of a method are clocked in this block. */
    public static boolean clocks(int method) {
        return clocking[method];
    }

    /**
     * The slow path of {@link Delay#begin}: the clock is read last. The pause after it lets the
     * reading end before the method begins: 15 ns of a method would be hidden beside it.
     */
    static void begin() {
        Calls mine = MINE.get();
        if (mine.arm != Delay.arm) {
            mine.arm = Delay.arm;
            mine.depth = 0;
        }
        if (mine.depth++ == 0 && Delay.wait != Delay.WORK) {
            mine.started = System.nanoTime();
            Thread.onSpinWait();
        }
    }

    /** The slow path of {@link Delay#end}. */
    static void end() {
        end(0L);
    }

    /** The slow path of {@link Delay#end(long)}. */
    static void end(long result) {
        Calls mine = MINE.get();
        mine.whole = result;
        mine.leave();
    }

    /** The slow path of {@link Delay#end(double)}. */
    static void end(double result) {
        Calls mine = MINE.get();
        mine.real = result;
        mine.leave();
    }

    /**
     * A clock that is read before what the method computes and writes is complete would not see it:
     * a volatile write of the result keeps the compiler from reading it earlier.
     */
    private void leave() {
        int wait = Delay.wait;
        long now = wait == Delay.WORK ? 0 : System.nanoTime();
        // Another arm may have been chosen while the call was running, in a thread of the subject.
        if (arm != Delay.arm || --depth > 0 || fixtures > 0) {
            return;
        }
        if (wait == Delay.WORK) {
            Delay.turn();
        } else if (wait == Delay.CLOCK) {
            clocked++;
            nanos += now - started;
        } else if (wait == Delay.ALLOCATE) {
            clocked++;
            allocate(Delay.elements);
        } else {
            pass(now, (long) (Delay.factor * (now - started - Delay.clockNanos)));
        }
    }

    /** All threads can see the array, so no compiler may leave it out. */
    private void allocate(int elements) {
        if (elements >= 0) {
            last = new byte[elements];
        }
    }

    private static void pass(long now, long wanted) {
        if (Delay.wait == Delay.SPIN) {
            spin(now, wanted);
        } else {
            sleep(wanted);
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

    /** Forgets what this thread has clocked since {@code calls} and {@code time}. */
    void forget(long calls, long time) {
        clocked = calls;
        nanos = time;
    }

    long clocked() {
        return clocked;
    }

    long nanos() {
        return nanos;
    }

    /** Returns the sum over all threads so far, those that have ended included. */
    public static Totals totals() {
        synchronized (ALL) {
            Calls sum = new Calls(null);
            sum.add(gone);
            for (Calls calls : ALL) {
                sum.add(calls);
            }
            return new Totals(sum);
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
            times[method] += other.times[method];
            byLibrary[method] += other.byLibrary[method];
            byOthers[method] += other.byOthers[method];
            open[method] |= other.since[method] != 0;
        }
        clocked += other.clocked;
        nanos += other.nanos;
    }
}
