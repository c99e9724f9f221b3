package benchaudit.boot;

import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Counts who calls the methods of a library in the tests of a client: code of the library itself,
 * or any other. What is counted is written down once a second and at the end, so that a killed
 * JVM loses a second at most.
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

    /** What a thread's code has said of the call that it makes next; 0: nothing. */
    private static final ThreadLocal<int[]> CALLING = ThreadLocal.withInitial(() -> new int[1]);
    /** Of each method so many callers that say who they are are looked at, whatever they say. */
    private static final int LOOKED_AT = 64;
    /** Then one of so many. */
    private static final int RARELY = 1024;

    private static boolean seesThrough;
    private static String[] tokens = {};
    private static int[] names = {};
    private static int[] said = {};
    private static boolean[] deceived = {};
    private static byte[] sampled = {};
    private static long[] told = {};
    /** For each method the calls from outside, then those from inside. */
    private static volatile AtomicLongArray counts = new AtomicLongArray(0);

    private static final ClassValue<Integer> KINDS = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            if (Callers.isOfLibrary(type.getName().replace('.', '/'))) {
                return INSIDE;
            }
            return isRunner(type.getName()) ? NEITHER : OUTSIDE;
        }
    };

    private Trace() {}

    /** Begins: the tokens of the traced methods, and a number for the name of each with its types.
     * With {@code own} tests the platform's calls are those of the code that called it. */
    public static void start(String[] methods, int[] numbers, boolean own) {
        seesThrough = own;
        tokens = methods;
        names = numbers;
        said = new int[methods.length];
        deceived = new boolean[methods.length];
        told = new long[2 * methods.length];
        sampled = new byte[methods.length];
        counts = new AtomicLongArray(2 * methods.length);
        Records.append("present\ttracer\n");
        Thread writer = new Thread(Trace::writeAgainAndAgain, "bench-audit-trace");
        writer.setDaemon(true);
        writer.start();
        Runtime.getRuntime().addShutdownHook(new Thread(Trace::write, "bench-audit-end"));
    }

    /** Returns what a caller says: the name with types that it calls, and whose code it is. */
    public static int number(int name, boolean inside) {
        return 1 + 2 * name + (inside ? INSIDE : OUTSIDE);
    }

    /** What code says before it calls a method of such a name. */
    public static void calling(int number) {
        CALLING.get()[0] = number;
    }

    /** What it says afterwards: the method may not have been traced. */
    public static void back() {
        CALLING.get()[0] = 0;
    }

    /**
     * What a traced method calls first; tells whether it shall show its arguments. To look for the
     * caller takes longer than most methods do, so callers that say who they are are believed. They
     * may have meant an object of the JDK's, whose method of that name called this one: that is
     * looked at now and then, and where it was so once, always.
     */
    public static boolean called(int method) {
        int[] calling = CALLING.get();
        int claimed = calling[0] - 1 - 2 * names[method];
        calling[0] = 0;
        boolean heard = claimed == INSIDE || claimed == OUTSIDE;
        int kind = claimed;
        if (!heard || deceived[method] || isLookedAt(method)) {
            Class<?> caller = WALKER.walk(CALLER);
            kind = caller == null ? OUTSIDE : KINDS.get(caller);
            deceived[method] |= heard && kind != claimed;
        }
        if (kind != NEITHER) {
            counts.incrementAndGet(2 * method + kind);
        }
        return kind == OUTSIDE && sampled[method] < SAMPLES;
    }

    private static boolean isLookedAt(int method) {
        int times = said[method]++;
        return times < LOOKED_AT || times % RARELY == 0;
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

    /** Tells whether a class is of what runs the tests. */
    public static boolean isRunner(String name) {
        for (String runner : RUNNERS) {
            if (name.startsWith(runner)) {
                return true;
            }
        }
        return false;
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
            boolean passes = seesThrough && Callers.isPlatform(frame.getDeclaringClass());
            if (!passes && (!frame.getMethodName().equals(called) || !isBridge(frame))) {
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
