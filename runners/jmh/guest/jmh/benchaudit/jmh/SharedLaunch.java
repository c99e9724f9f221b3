package benchaudit.jmh;

import benchaudit.boot.Calls;
import benchaudit.boot.Records;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Runs several benchmarks one after the other: each in a fork of its own, or in this JVM. Only
 * calls are counted in this JVM: after another benchmark it makes the same calls, but takes other
 * times.
 *
 * <p>The argument is the number of forks of each benchmark, 0 or 1.
 *
 * <p>The files that the environment names are described in runners/shared_process.py. A line of the
 * members has fields parted by tabs, each quoted as in a URL: the limit in seconds, the files of the
 * schedule and of the records, and the arguments of {@link Launch}.
 *
 * <p>The JVM ends early where a benchmark takes too long, or where something of it still runs.
 * Where it runs benchmarks itself, it also ends once one fails or changes a system property. What
 * follows then runs elsewhere.
 */
public final class SharedLaunch {
    private static final long SECOND = 1_000_000_000L;
    /** How long the threads of a benchmark may take to end, or to wait for work. */
    private static final long LONGEST_END = SECOND / 5;
    /** Milliseconds that what the subject has to do at the end of its JVM may take. */
    private static final long LONGEST_EXIT = 5000;
    /** Threads that benchmarks leave for the next ones, at most. */
    private static final int MOST_THREADS = 64;

    private final Path endFile = Paths.get(System.getenv("BENCH_AUDIT_ENDS"));
    private final Timer timer = new Timer("limit", true);
    private final int forks;
    private final Set<Thread> ownThreads = new HashSet<>(Thread.getAllStackTraces().keySet());
    private final ProcessGroup group = new ProcessGroup();
    private boolean hasRunOne;

    private SharedLaunch(int forks) {
        this.forks = forks;
    }

    public static void main(String[] arguments) {
        Launch.ignoreLock();
        TimeZone.getDefault(); // sets a property when it is called first
        SharedLaunch launch = new SharedLaunch(Integer.parseInt(arguments[0]));
        try {
            launch.runMembers(Files.readAllLines(
                    Paths.get(System.getenv("BENCH_AUDIT_MEMBERS")), StandardCharsets.UTF_8));
        } catch (Throwable error) {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        launch.limit(LONGEST_EXIT, () -> {});
        System.exit(0);
    }

    private void runMembers(List<String> members) throws IOException {
        for (int number = 0; number < members.size(); number++) {
            List<String> fields = new ArrayList<>();
            for (String field : members.get(number).split("\t")) {
                fields.add(URLDecoder.decode(field, "UTF-8"));
            }
            if (!run(number, fields) || isBusy()) {
                return;
            }
        }
    }

    /** Ends the JVM after a time, unless the task is cancelled. */
    private TimerTask limit(long milliseconds, Runnable before) {
        TimerTask limit = new TimerTask() {
            @Override
            public void run() {
                before.run();
                Runtime.getRuntime().halt(1);
            }
        };
        timer.schedule(limit, milliseconds);
        return limit;
    }

    private void writeEnd(int number, String status, long started) {
        double seconds = (System.nanoTime() - started) / (double) SECOND;
        String line = "[" + number + ", " + status + ", " + seconds + "]\n";
        try {
            Files.write(endFile, line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Runs a benchmark; returns whether another one may follow it in this JVM. */
    private boolean run(int number, List<String> fields) {
        Schedule.readFrom(fields.get(1));
        Records.writeTo(fields.get(2));
        Calls.reset();
        Properties properties = copyProperties();
        long started = System.nanoTime();
        long milliseconds = (long) Math.ceil(1000 * Double.parseDouble(fields.get(0)));
        TimerTask limit = limit(milliseconds, () -> writeEnd(number, "null", started));
        try {
            Launch.run(fields.subList(3, fields.size()), forks);
        } catch (RunnerException error) {
            // JMH keeps the state of a benchmark that fails for the next choice of parameters.
            error.printStackTrace();
            writeEnd(number, "1", started);
            return forks > 0;
        } finally {
            limit.cancel();
        }
        boolean isUnchanged = forks > 0 || properties.equals(copyProperties());
        // A class that another benchmark has loaded may have read the property before it changed.
        if (isUnchanged || !hasRunOne) {
            writeEnd(number, "0", started);
        }
        hasRunOne = true;
        return isUnchanged;
    }

    private static Properties copyProperties() {
        Properties copy = new Properties();
        synchronized (System.getProperties()) {
            copy.putAll(System.getProperties());
        }
        return copy;
    }

    /**
     * Tells whether processes of a benchmark are left, or threads of it still work. Threads that
     * wait for work are a pool's, and call what the next benchmark has them do.
     */
    private boolean isBusy() {
        long started = System.nanoTime();
        while (isBusyNow()) {
            if (System.nanoTime() - started > LONGEST_END) {
                return true;
            }
            LockSupport.parkNanos(SECOND / 1000);
        }
        return false;
    }

    private boolean isBusyNow() {
        if (group.hasGrown()) {
            return true;
        }
        if (forks > 0) {
            return false; // all threads here are JMH's
        }
        int waiting = 0;
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            if (!ownThreads.contains(entry.getKey())) {
                waiting++;
                if (isWorking(entry.getKey().getState(), entry.getValue())) {
                    return true;
                }
            }
        }
        return waiting > MOST_THREADS;
    }

    /** A thread that sleeps goes on by itself. */
    private static boolean isWorking(Thread.State state, StackTraceElement[] frames) {
        if (state == Thread.State.TIMED_WAITING) {
            return frames.length > 0 && frames[0].getClassName().equals("java.lang.Thread");
        }
        return state == Thread.State.RUNNABLE || state == Thread.State.BLOCKED;
    }
}
