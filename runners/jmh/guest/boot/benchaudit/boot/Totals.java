package benchaudit.boot;

/** Sums over all threads since the process began. */
public final class Totals {
    /** Outermost calls by method, set-up left out. */
    public final long[] counts;
    /** Outermost calls by method from set-up and tear-down. */
    public final long[] outside;
    /** Whether a call of the method ran inside another one of it. */
    public final boolean[] nested;
    /** Calls that the library itself made, by a sample of them, by method. */
    public final long[] byLibrary;
    /** Calls that other code made, by that sample, by method. */
    public final long[] byOthers;
    /** Nanoseconds in those of the outermost calls that were clocked, by method. */
    public final long[] times;
    /** Whether a call that is clocked has not ended. */
    public final boolean[] open;
    /** Outermost calls that were clocked, or in which something could be allocated. */
    public final long clocked;
    /** Nanoseconds spent in them. */
    public final long nanos;

    Totals(Calls sum) {
        this.counts = sum.counts;
        this.outside = sum.outside;
        this.nested = sum.nested;
        this.byLibrary = sum.byLibrary;
        this.byOthers = sum.byOthers;
        this.times = sum.times;
        this.open = sum.open;
        this.clocked = sum.clocked();
        this.nanos = sum.nanos();
    }
}
