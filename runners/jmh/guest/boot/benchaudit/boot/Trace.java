package benchaudit.boot;

import java.lang.StackWalker.StackFrame;
import java.net.URL;
import java.security.CodeSource;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Counts who calls the methods of a library in the tests of a client: code of the library itself,
 * or any other. Where nobody has said what the library's classes are (in its own unit tests), they
 * are those that come from the same folders and jars as traced methods. What is counted is written down once a second and at the end, so that a killed JVM
 * loses a second at most.
 */
public final class Trace {
    private static final long PERIOD_MILLISECONDS = 1000;
    /** What runs the tests is no client: if it uses the library, those calls are not counted. */
    private static final String[] RUNNERS = {
        "org.junit.", "junit.", "org.testng.", "org.apache.maven.surefire.", "org.gradle.",
        "org.opentest4j.",
    };
    private static final int OUTSIDE = 0;
    private static final int INSIDE = 1;
    private static final int NEITHER = 2;
    /** The arguments of so many calls of a method are written down. */
    private static final int SAMPLES = 8;

    private static final StackWalker WALKER =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final Function<Stream<StackFrame>, Class<?>> CALLER = Trace::caller;
    private static final Set<String> BRIDGES = ConcurrentHashMap.newKeySet();

    private static final Set<String> PLACES = ConcurrentHashMap.newKeySet();

    private static String[] tokens = {};
    private static byte[] sampled = {};
    private static long[] told = {};
    private static Set<String> library = Set.of();
    /** For each method the calls from outside, then those from inside. */
    private static volatile AtomicLongArray counts = new AtomicLongArray(0);

    private static final ClassValue<Integer> KINDS = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            String name = type.getName();
            // What the compiler makes beside a class (for a switch, say) has its name in front.
            int inner = name.indexOf('$', 1);
            String outer = inner < 0 ? name : name.substring(0, inner);
            if (library.contains(name.replace('.', '/'))
                    || library.contains(outer.replace('.', '/'))
                    || library.isEmpty() && isOwn(type)) {
                return INSIDE;
            }
            return isRunner(name) ? NEITHER : OUTSIDE;
        }
    };

    private Trace() {}

    /** Begins: the names of the traced methods, and the classes of the library as the JVM has
     * them. */
    public static void start(String[] methods, Set<String> classes) {
        tokens = methods;
        library = classes;
        told = new long[2 * methods.length];
        sampled = new byte[methods.length];
        counts = new AtomicLongArray(2 * methods.length);
        Records.append("present\ttracer\n");
        Thread writer = new Thread(Trace::writeAgainAndAgain, "bench-audit-trace");
        writer.setDaemon(true);
        writer.start();
        Runtime.getRuntime().addShutdownHook(new Thread(Trace::write, "bench-audit-end"));
    }

    /** What a traced method calls first; tells whether it shall show its arguments. */
    public static boolean called(int method) {
        Class<?> caller = WALKER.walk(CALLER);
        int kind = caller == null ? OUTSIDE : KINDS.get(caller);
        if (kind != NEITHER) {
            counts.incrementAndGet(2 * method + kind);
        }
        return kind == OUTSIDE && sampled[method] < SAMPLES;
    }

    /** Takes what a call handed over. */
    public static void arguments(int method, Object[] values) {
        sampled[method]++;
        String[] texts = new String[values.length];
        for (int at = 0; at < texts.length; at++) {
            texts[at] = Literals.of(values[at]);
        }
        Records.append("arguments\t" + tokens[method] + "\t" + Json.of(texts) + "\n");
    }

    /** What code that is not the library's calls before it calls a method without a body. */
    public static void declared(int method) {
        counts.incrementAndGet(2 * method);
    }

    /** Takes where a traced method comes from. */
    public static void own(URL place) {
        PLACES.add(place.toString());
    }

    /** Tells whether a class is of what runs the tests. */
    public static boolean isRunner(String name) {
        for (String runner : RUNNERS) {
            if (name.startsWith(runner)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOwn(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        URL place = source == null ? null : source.getLocation();
        return place != null && PLACES.contains(place.toString());
    }

    /** Takes a method that the compiler has made to call one of the same name: who calls it, calls
     * that one. */
    public static void bridge(String type, String name, String descriptor) {
        BRIDGES.add(type + "." + name + descriptor);
    }

    /** Returns the class behind ours and that of the traced method, bridges left out. */
    private static Class<?> caller(Stream<StackFrame> frames) {
        Iterator<StackFrame> all = frames.iterator();
        all.next();
        String called = all.next().getMethodName();
        while (all.hasNext()) {
            StackFrame frame = all.next();
            if (!frame.getMethodName().equals(called) || !isBridge(frame)) {
                return frame.getDeclaringClass();
            }
        }
        return null;
    }

    private static boolean isBridge(StackFrame frame) {
        return !BRIDGES.isEmpty() && BRIDGES.contains(
                frame.getClassName() + "." + frame.getMethodName() + frame.getDescriptor());
    }

    private static void writeAgainAndAgain() {
        while (true) {
            try {
                Thread.sleep(PERIOD_MILLISECONDS);
            } catch (InterruptedException error) {
                return;
            }
            write();
        }
    }

    private static synchronized void write() {
        StringBuilder lines = new StringBuilder();
        for (int at = 0; at < tokens.length; at++) {
            long outside = counts.get(2 * at);
            long inside = counts.get(2 * at + 1);
            if (outside != told[2 * at] || inside != told[2 * at + 1]) {
                lines.append("calls\t").append(tokens[at])
                        .append('\t').append(outside - told[2 * at])
                        .append('\t').append(inside - told[2 * at + 1]).append("\t0\n");
                told[2 * at] = outside;
                told[2 * at + 1] = inside;
            }
        }
        Records.append(lines.toString());
    }
}
