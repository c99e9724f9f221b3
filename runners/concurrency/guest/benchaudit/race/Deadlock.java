package benchaudit.race;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/** What the JVM tells of threads that wait for something. */
public final class Deadlock {
    private static final int FRAMES = 12;

    private Deadlock() {}

    /** Returns how many threads wait for each other, and what for; empty where none do. */
    public static String dump() {
        long[] locked = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        return locked == null
                ? "" : "deadlock of " + locked.length + " threads" + described(locked);
    }

    /** Returns a line for each of these threads, and one for each of their frames. */
    static String described(long[] ids) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        StringBuilder text = new StringBuilder();
        for (ThreadInfo info : threads.getThreadInfo(ids, FRAMES)) {
            if (info != null) {
                text.append("\n").append(info.getThreadName()).append(' ');
                text.append(info.getThreadState());
                if (info.getLockName() != null) {
                    text.append(" on ").append(info.getLockName());
                    text.append(" held by ").append(info.getLockOwnerName());
                }
                for (StackTraceElement frame : info.getStackTrace()) {
                    text.append("\n    at ").append(frame);
                }
            }
        }
        return text.toString();
    }
}
