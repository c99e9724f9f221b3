package benchaudit.boot;

import java.lang.StackWalker.StackFrame;
import java.util.Collections;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Tells calls that the library makes itself from those of benchmarks, tests and other code. */
public final class Callers {
    /** Each of so many first calls of a method in a thread is looked at, then ever fewer. */
    private static final int DENSE = 64;
    /** Of all others one in so many is looked at, on average. */
    private static final int LONGEST_GAP = 1024;
    private static final int SCATTER = 0x9E3779B1;

    private static final StackWalker WALKER =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final Function<Stream<StackFrame>, Boolean> CALLED = Callers::calledByLibrary;
    private static Set<String> library = Collections.emptySet();

    private static final ClassValue<Kind> KINDS = new ClassValue<Kind>() {
        @Override
        protected Kind computeValue(Class<?> type) {
            if (isOfLibrary(type.getName().replace('.', '/'))) {
                return Kind.LIBRARY;
            }
            ClassLoader loader = type.getClassLoader();
            boolean platform = loader == null || loader == ClassLoader.getPlatformClassLoader();
            return platform ? Kind.PLATFORM : Kind.OTHER;
        }
    };

    private enum Kind { LIBRARY, PLATFORM, OTHER }

    private Callers() {}

    /** Takes the internal names of the library's classes, before one of them runs. */
    public static void know(Set<String> classes) {
        library = classes;
    }

    /** Tells whether a class (its internal name) is the library's. */
    public static boolean isOfLibrary(String name) {
        // What the compiler makes beside a class (for a switch, say) has its name in front.
        int inner = name.indexOf('$', 1);
        return library.contains(name)
                || inner > 0 && library.contains(name.substring(0, inner));
    }

    /** Returns the number of the call to look at after this one. Gaps vary, lest they keep step with
     * the calls of a loop. */
    static long next(long call) {
        long gap = Math.min(LONGEST_GAP, call / DENSE + 1);
        return call + 1 + ((int) call * SCATTER >>> 7) % (2 * gap - 1);
    }

    /** Tells whether the counted method that runs now was called by code of the library. */
    static boolean isLibrary() {
        return WALKER.walk(CALLED);
    }

    /** The platform may hand a call on: the next code that is not its own made it. */
    private static boolean calledByLibrary(Stream<StackFrame> frames) {
        Iterator<StackFrame> all = frames.iterator();
        StackFrame called = all.next();
        while (called.getClassName().startsWith("benchaudit.boot.")) {
            called = all.next();
        }
        while (all.hasNext()) {
            StackFrame frame = all.next();
            Kind kind = KINDS.get(frame.getDeclaringClass());
            if (kind != Kind.PLATFORM && !isBridge(frame, called)) {
                return kind == Kind.LIBRARY;
            }
        }
        return false;
    }

    /** Tells whether the compiler made a method to call this one of the same name. */
    private static boolean isBridge(StackFrame frame, StackFrame called) {
        if (!frame.getMethodName().equals(called.getMethodName())
                || frame.getMethodName().startsWith("<")) {
            return false;
        }
        try {
            return frame.getDeclaringClass()
                    .getDeclaredMethod(
                            frame.getMethodName(), frame.getMethodType().parameterArray())
                    .isBridge();
        } catch (ReflectiveOperationException | LinkageError | RuntimeException error) {
            return false;
        }
    }
}
