package benchaudit.boot;

/** What the agent leaves for the profiler, which is loaded by another class loader. */
public final class Agent {
    /** The tokens of the counted methods, by index; empty when none are counted. */
    public static volatile String[] counted = {};
    /** Looks whether the code that was asked for is the code that ran; called after the
     * last block. Null without an agent. */
    public static volatile Runnable check;

    private Agent() {}
}
