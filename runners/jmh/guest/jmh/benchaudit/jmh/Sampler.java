package benchaudit.jmh;

import benchaudit.boot.LaunchVariables;
import benchaudit.boot.Records;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * Samples the stacks of the process during measured iterations. async-profiler does the sampling.
 * Its class has a loader of its own, so no class of the subject can hide it.
 */
final class Sampler {
    /** Sources of the sampling signal, best first; the last ones need no permission. */
    private static final String[] EVENTS = {"cpu", "ctimer", "itimer"};

    private static final String START = "start,event=%s,interval=%d,threads,cstack=vm";
    private static final String STOP = "stop,collapsed,threads,sig,ann";

    private final Object profiler;
    private final Method execute;
    private final StackFile file;
    private final long nanoseconds;
    private String event;
    private boolean running;
    /** The last block whose profile was written. */
    private int sampled = -1;

    private Sampler(Object profiler, Method execute, StackFile file, long nanoseconds) {
        this.profiler = profiler;
        this.execute = execute;
        this.file = file;
        this.nanoseconds = nanoseconds;
    }

    /** Returns the sampler that the host names, null where it names none. */
    static Sampler ofEnvironment() {
        String folder = System.getenv("BENCH_AUDIT_SAMPLER");
        String stacks = LaunchVariables.find("BENCH_AUDIT_STACKS");
        String interval = System.getenv("BENCH_AUDIT_SAMPLING_NANOSECONDS");
        if (folder == null || stacks == null || interval == null) {
            return null;
        }
        try {
            StackFile file = new StackFile(new File(stacks));
            return open(new File(folder), file, Long.parseLong(interval));
        } catch (InvocationTargetException error) {
            throw failure(String.valueOf(error.getCause()));
        } catch (ReflectiveOperationException | MalformedURLException | LinkageError error) {
            throw failure(error.toString());
        }
    }

    private static Sampler open(File folder, StackFile file, long nanoseconds)
            throws ReflectiveOperationException, MalformedURLException {
        URL[] path = {folder.toURI().toURL()};
        Class<?> type = new URLClassLoader(path, null).loadClass("one.profiler.AsyncProfiler");
        String library = new File(folder, "libasyncProfiler.so").getAbsolutePath();
        Object profiler = type.getMethod("getInstance", String.class).invoke(null, library);
        Method execute = type.getMethod("execute", String.class);
        return new Sampler(profiler, execute, file, nanoseconds);
    }

    private static IllegalStateException failure(String why) {
        String text = "async-profiler cannot sample this JVM: " + why;
        Records.failed(text);
        return new IllegalStateException(text);
    }

    /** Starts the profile of a measured block; it holds no sample of an earlier one. */
    void begin(IterationParams iteration, int block) {
        if (iteration.getType() != IterationType.MEASUREMENT) {
            return;
        }
        file.writeThreadTimes(block, "before");
        start();
        running = true;
    }

    /** Ends the profile of a block, and writes its stacks. */
    void end(int block) {
        if (!running) {
            return;
        }
        running = false;
        sampled = block;
        try {
            String profile = command(STOP);
            file.writeThreadTimes(block, "after");
            file.writeStacks(block, profile);
        } catch (InvocationTargetException error) {
            throw failure(String.valueOf(error.getCause()));
        }
    }

    /** Writes how many operations a sampled block timed, and the seconds of each. */
    void writeTimes(int block, long operations, double seconds) {
        if (block == sampled) {
            file.writeTimes(block, operations, seconds);
        }
    }

    private void start() {
        String[] events = event == null ? EVENTS : new String[] {event};
        String reasons = "";
        for (String source : events) {
            try {
                command(String.format(START, source, nanoseconds));
                event = source;
                return;
            } catch (InvocationTargetException error) {
                reasons += (reasons.isEmpty() ? "" : "; ") + source + ": " + error.getCause();
            }
        }
        throw failure(reasons);
    }

    private String command(String text) throws InvocationTargetException {
        try {
            return (String) execute.invoke(profiler, text);
        } catch (IllegalAccessException error) {
            throw failure(error.toString());
        }
    }
}
