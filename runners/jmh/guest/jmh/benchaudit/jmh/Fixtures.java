package benchaudit.jmh;

import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** At which levels set-up and tear-down run for a benchmark. */
final class Fixtures {
    private final Deque<Class<?>> waiting = new ArrayDeque<>();
    private final Set<Class<?>> seen = new HashSet<>();
    private final Set<String> levels = new TreeSet<>();

    private Fixtures() {}

    /**
     * Returns the names of the levels for one benchmark or group, or null where the classes cannot
     * be read.
     */
    static List<String> of(String type, String benchmark) {
        try {
            Fixtures fixtures = new Fixtures();
            Class<?> own = Class.forName(type, false, Fixtures.class.getClassLoader());
            fixtures.waiting.add(own);
            for (Class<?> above = own; above != null; above = above.getSuperclass()) {
                for (Method method : above.getDeclaredMethods()) {
                    if (named(method, benchmark)) {
                        fixtures.takeStates(method);
                    }
                }
            }
            while (!fixtures.waiting.isEmpty()) {
                fixtures.look(fixtures.waiting.remove());
            }
            return new ArrayList<>(fixtures.levels);
        } catch (ClassNotFoundException | LinkageError error) {
            return null;
        }
    }

    private static boolean named(Method method, String benchmark) {
        Group group = method.getAnnotation(Group.class);
        return method.isAnnotationPresent(Benchmark.class)
                && benchmark.equals(group == null ? method.getName() : group.value());
    }

    private void look(Class<?> type) {
        if (!seen.add(type)) {
            return;
        }
        if (type.getSuperclass() != null) {
            waiting.add(type.getSuperclass());
        }
        for (Method method : type.getDeclaredMethods()) {
            Setup setup = method.getAnnotation(Setup.class);
            TearDown tearDown = method.getAnnotation(TearDown.class);
            if (setup != null) {
                levels.add(setup.value().name());
            }
            if (tearDown != null) {
                levels.add(tearDown.value().name());
            }
            if (setup != null || tearDown != null) {
                takeStates(method);
            }
        }
    }

    private void takeStates(Method method) {
        for (Class<?> parameter : method.getParameterTypes()) {
            if (parameter.isAnnotationPresent(State.class)) {
                waiting.add(parameter);
            }
        }
    }
}
