package benchaudit.boot;

/** Counts the outermost calls of many methods at once. */
public final class Counter {
    private Counter() {}

    /** Woven in at the entry of a counted method. */
    public static void begin(int method) {
        Calls.mine().enter(method);
    }

    /** Woven in at every way out of a counted method. */
    public static void end(int method) {
        Calls.mine().leave(method);
    }
}
