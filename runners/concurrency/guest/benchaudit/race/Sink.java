package benchaudit.race;

/**
 * Takes results, so that no compiler can leave out what made them. Of objects it keeps fewer and
 * fewer; each may be one that is kept, so all have to exist.
 */
public final class Sink {
    private int taken;
    private int seldom = 1;
    private Object kept;
    private volatile long number = 0x5DEECE66DL;
    private volatile double real = Double.MIN_VALUE;
    private int met;

    /** Takes an object. */
    public void take(Object value) {
        if ((++taken & seldom) == 0) {
            kept = value;
            seldom = (seldom << 1) | 1;
        }
    }

    /** Takes a whole number, a character or (as 0 or 1) a boolean. */
    public void take(long value) {
        if (value == number) {
            met++;
        }
    }

    /** Takes a real number. */
    public void take(double value) {
        if (value == real) {
            met++;
        }
    }

    /** Takes a boolean. */
    public void take(boolean value) {
        take(value ? 1L : 0L);
    }

    @Override
    public String toString() {
        return "kept " + kept + ", met " + met;
    }
}
