package benchaudit.boot;

/** Sums over all threads since the process began. */
public final class Totals {
    /** Outermost calls by method, set-up left out. */
    public final long[] counts;
    /** Outermost calls by method from set-up and tear-down. */
    public final long[] outside;
    /** Whether a call of the method ran inside another one of it. */
    public final boolean[] nested;
    /** Outermost calls that were clocked, or in which something could be allocated. */
    public final long clocked;
    /** Nanoseconds spent in them. */
    public final long nanos;

    Totals(long[] counts, long[] outside, boolean[] nested, long clocked, long nanos) {
        this.counts = counts;
        this.outside = outside;
        this.nested = nested;
        this.clocked = clocked;
        this.nanos = nanos;
    }
}
