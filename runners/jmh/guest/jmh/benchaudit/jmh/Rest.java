package benchaudit.jmh;

import java.io.File;
import java.lang.reflect.Field;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * What is left of a fork that has decided, or that is told that it has shown enough. JMH lets the
 * subject tear down what it has set up after the last iteration only, and asks before each one how
 * many there are: so the next one becomes the last, as short as it can be.
 */
final class Rest {
    private static final TimeValue SHORT = new TimeValue(1, TimeUnit.MILLISECONDS);

    private Rest() {}

    /** Tells whether the host has seen enough. */
    static boolean isUnwanted() {
        String path = System.getenv("BENCH_AUDIT_ENOUGH");
        return path != null && new File(path).exists();
    }

    /**
     * Shortens what comes after so many iterations; false if that cannot be done, or if nothing
     * comes. Where their number cannot be set, all that are left are short.
     */
    static boolean shorten(BenchmarkParams benchmark, IterationParams iteration, int done) {
        int next = done - benchmark.getWarmup().getCount() + 1;
        if (next <= 1 || next > iteration.getCount()) {
            return false;
        }
        boolean last = set("count", iteration, next) && iteration.getCount() == next;
        boolean brief = benchmark.getMode() != Mode.SingleShotTime // which has no length
                && set("timeValue", iteration, SHORT)
                && iteration.getTime().equals(SHORT);
        return last || brief;
    }

    /**
     * Leaves out what is left of the warm-up after so many iterations, and all measured ones but the
     * first, which tears down; false if that cannot be done.
     */
    static boolean leaveOut(BenchmarkParams benchmark, int done) {
        IterationParams warmup = benchmark.getWarmup();
        IterationParams measurement = benchmark.getMeasurement();
        return set("count", measurement, 1)
                && measurement.getCount() == 1
                && set("count", warmup, done)
                && warmup.getCount() == done;
    }

    private static boolean set(String name, IterationParams iteration, Object value) {
        for (Class<?> at = IterationParams.class; at != null; at = at.getSuperclass()) {
            try {
                Field field = at.getDeclaredField(name);
                field.setAccessible(true);
                field.set(iteration, value);
                return true;
            } catch (NoSuchFieldException elsewhere) {
                continue;
            } catch (ReflectiveOperationException | RuntimeException refused) {
                return false;
            }
        }
        return false;
    }
}
