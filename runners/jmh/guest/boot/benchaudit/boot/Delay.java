package benchaudit.boot;

/**
 * The wait of the one slowed method. All arms run the same byte code; they differ in these fields,
 * which are read at run time and are not final, so that no compiler folds them.
 *
 * <p>The entry points are kept below the size that a JIT compiler always inlines.
 */
public final class Delay {
    /** A number of turns, no clock. */
    public static final int WORK = 0;
    /** A multiple of the call's own time, by a busy loop on the clock. */
    public static final int SPIN = 1;
    /** A multiple of the call's own time, by a sleep. */
    public static final int SLEEP = 2;
    /** No wait: the call's time is added up. */
    public static final int CLOCK = 3;
    /** No wait: the call allocates an object. */
    public static final int ALLOCATE = 4;

    /** What an array takes before its first element; rounding up may add to it. */
    private static final int HEADER = 16;

    static int wait = WORK;
    static int turns;
    static double factor;
    /** The elements of the array that a call allocates; below zero it allocates none. */
    static int elements = -1;
    /** What the clock shows of a call beside the method's own time. */
    static double clockNanos;
    /** Grows with each choice, so that a call begun in one arm does not end in another. */
    static int arm;
    /** Whether a nested call must not be slowed even where that costs a look-up per call. */
    static boolean guarded;
    /** Whether calls are followed per thread: always where a clock is read, else if guarded. */
    static boolean followed;

    private Delay() {}

    /** Woven in at the entry of the method (of a constructor: after {@code this} or {@code super}). */
    public static void begin() {
        if (followed) {
            Calls.begin();
        }
    }

    /** Woven in at every way out of the method that returns no number. */
    public static void end() {
        if (followed) {
            Calls.end();
        } else {
            turn();
        }
    }

    /** Woven in where a number is returned. */
    public static void end(long result) {
        if (followed) {
            Calls.end(result);
        } else {
            turn();
        }
    }

    /** Woven in where a number is returned. */
    public static void end(double result) {
        if (followed) {
            Calls.end(result);
        } else {
            turn();
        }
    }

    static void turn() {
        for (int left = turns; left > 0; left--) {
            Thread.onSpinWait();
        }
    }

    /** Chooses the arm of what runs from now on. */
    public static void select(int how, double number) {
        arm++;
        wait = how;
        turns = how == WORK ? (int) Math.min(Integer.MAX_VALUE, Math.round(number)) : 0;
        factor = how == WORK ? 0 : number;
        elements = how == ALLOCATE && number > 0 ? (int) Math.max(0, number - HEADER) : -1;
        followed = guarded || how != WORK;
    }

    /** Asks for the guard against nested calls. */
    public static void guard() {
        guarded = true;
        followed = true;
    }

    /** Finds and returns what the clock adds to what it shows of a call, in seconds. */
    public static double clockCost() {
        int was = wait;
        double number = was == WORK ? turns : factor;
        select(CLOCK, 0);
        clockNanos = Clock.cost();
        select(was, number);
        return clockNanos * 1e-9;
    }
}
