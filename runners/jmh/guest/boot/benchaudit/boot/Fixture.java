package benchaudit.boot;

/** Marks what a thread does as set-up: its calls are not those of an operation. */
public final class Fixture {
    private Fixture() {}

    /** Woven in at the entry of set-up and tear-down code. */
    public static void begin() {
        Calls.mine().fixtures++;
    }

    /** Woven in at every way out of it. */
    public static void end() {
        Calls.mine().fixtures--;
    }
}
