package benchaudit.jmh;

import java.lang.reflect.Field;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * What is left of a fork that has decided. JMH has no way to end one early that lets the subject
 * tear down what it has set up, so the iterations that are left become as short as they can be.
 */
final class Rest {
    private static final TimeValue SHORT = new TimeValue(1, TimeUnit.MILLISECONDS);

    private Rest() {}

    /** Shortens all further iterations; false if that cannot be done. */
    static boolean shorten(BenchmarkParams benchmark, IterationParams iteration) {
        if (benchmark.getMode() == Mode.SingleShotTime) {
            return false; // its iterations have no length
        }
        for (Class<?> at = IterationParams.class; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getType() == TimeValue.class) {
                    return set(field, iteration);
                }
            }
        }
        return false;
    }

    private static boolean set(Field field, IterationParams iteration) {
        try {
            field.setAccessible(true);
            field.set(iteration, SHORT);
        } catch (ReflectiveOperationException | SecurityException refused) {
            return false;
        }
        return iteration.getTime().equals(SHORT);
    }
}
