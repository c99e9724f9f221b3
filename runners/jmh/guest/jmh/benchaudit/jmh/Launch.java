package benchaudit.jmh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.WarmupMode;

/**
 * Runs one benchmark with one choice of parameters, in one fork or in this JVM. JMH's command line
 * cannot do it: it splits parameters at commas and JVM arguments at blanks.
 *
 * <p>Arguments are KEY=VALUE. What is not given stays as the benchmark's author has it.
 */
public final class Launch {
    private static final long LEAST_TIMEOUT_SECONDS = 1;

    private final ChainedOptionsBuilder options = new OptionsBuilder();
    private final List<String> prepended = new ArrayList<>();
    private boolean allocations;

    private Launch() {}

    /** Ends with 1 and the benchmark's stack trace when it fails. */
    public static void main(String[] arguments) {
        ignoreLock();
        try {
            run(Arrays.asList(arguments), 1);
        } catch (RunnerException error) {
            error.printStackTrace();
            System.exit(1);
        }
    }

    /** Another run of JMH on the machine is not ours to wait for, or to fail for. */
    static void ignoreLock() {
        System.setProperty("jmh.ignoreLock", "true");
    }

    static void run(Iterable<String> arguments, int forks) throws RunnerException {
        Launch launch = new Launch();
        for (String argument : arguments) {
            int sign = argument.indexOf('=');
            launch.take(argument.substring(0, sign), argument.substring(sign + 1));
        }
        new Runner(launch.whole(forks)).run();
    }

    private org.openjdk.jmh.runner.options.Options whole(int forks) {
        if (!prepended.isEmpty()) {
            options.jvmArgsPrepend(prepended.toArray(new String[0]));
        }
        options.forks(forks)
                .warmupForks(0)
                .warmupMode(WarmupMode.INDI)
                .shouldFailOnError(true)
                .addProfiler(BlockProfiler.class);
        if (allocations) {
            // Behind ours: the last to begin is the first to end, so ours sees what it found.
            options.addProfiler(GCProfiler.class);
        }
        return options.build();
    }

    private void take(String key, String value) {
        if (key.startsWith("parameter:")) {
            options.param(key.substring("parameter:".length()), value);
            return;
        }
        switch (key) {
            case "benchmark":
                options.include("^" + Pattern.quote(value) + "$");
                break;
            case "mode":
                options.mode(Mode.valueOf(value));
                break;
            case "prepend":
                prepended.add(value);
                break;
            case "allocations":
                allocations = Boolean.parseBoolean(value);
                break;
            case "warmups":
                options.warmupIterations(Integer.parseInt(value));
                break;
            case "iterations":
                options.measurementIterations(Integer.parseInt(value));
                break;
            default:
                takeTime(key, Double.parseDouble(value));
        }
    }

    private void takeTime(String key, double seconds) {
        switch (key) {
            case "warmup-seconds":
                options.warmupTime(time(seconds));
                break;
            case "iteration-seconds":
                options.measurementTime(time(seconds));
                break;
            case "timeout-seconds":
                options.timeout(TimeValue.seconds(
                        Math.max(LEAST_TIMEOUT_SECONDS, (long) Math.ceil(seconds))));
                break;
            default:
                throw new IllegalArgumentException("no such option: " + key);
        }
    }

    private static TimeValue time(double seconds) {
        return new TimeValue(Math.max(1, Math.round(seconds * 1e9)), TimeUnit.NANOSECONDS);
    }
}
