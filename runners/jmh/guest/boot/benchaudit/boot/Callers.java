package benchaudit.boot;

import java.lang.StackWalker.StackFrame;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Tells calls that the library makes itself from those of benchmarks, tests and other code. */
public final class Callers {
    /** The callers of so many first calls of a method in a thread are looked up, then fewer. */
    static final int DENSE_CALLS = 64;
    /** Of all other calls the callers of one in so many, on average. */
    private static final int LONGEST_GAP = 1024;
    private static final int SCATTER = 0x9E3779B1;

    private static final StackWalker WALKER =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final Function<Stream<StackFrame>, Kind> CALLER = Callers::caller;
    private static Set<String> library = Collections.emptySet();

    private static final ClassValue<Kind> KINDS = new ClassValue<Kind>() {
        @Override
        protected Kind computeValue(Class<?> type) {
            if (isOfLibrary(type.getName().replace('.', '/'))) {
                return Kind.LIBRARY;
            }
            return isPlatform(type) ? Kind.PLATFORM : Kind.OTHER;
        }
    };

    /** Whose code a class is; where all of a stack is the platform's, nobody knows who called. */
    enum Kind { LIBRARY, PLATFORM, OTHER }

    private Callers() {}

    /** Takes the internal names of the library's classes, before one of them runs. */
    public static void setLibrary(Set<String> classes) {
        library = classes;
    }

    /** Tells whether a class (its internal name) is the library's. */
    public static boolean isOfLibrary(String name) {
        // What the compiler makes beside a class (for a switch, say) has its name in front.
        int inner = name.indexOf('$', 1);
        return library.contains(name)
                || inner > 0 && library.contains(name.substring(0, inner));
    }

    /** Tells whether a class is the JDK's. */
    static boolean isPlatform(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    /** Returns the number of the call whose caller is looked up after this one. Gaps vary, so that
     * they do not keep step with the calls of a loop. */
    static long nextSample(long call) {
        long gap = Math.min(LONGEST_GAP, call / DENSE_CALLS + 1);
        return call + 1 + ((int) call * SCATTER >>> 7) % (2 * gap - 1);
    }

    /** Returns whose code called the counted method that runs now. */
    static Kind find() {
        return WALKER.walk(CALLER);
    }

    /** The platform may pass a call on: the next code that is not its own made it. */
    private static Kind caller(Stream<StackFrame> frames) {
        Iterator<StackFrame> all = frames.iterator();
        StackFrame called = all.next();
        while (called.getClassName().startsWith("benchaudit.boot.")) {
            called = all.next();
        }
        while (all.hasNext()) {
            StackFrame frame = all.next();
            Kind kind = KINDS.get(frame.getDeclaringClass());
            if (kind != Kind.PLATFORM && !isBridge(frame, called)) {
                return kind;
            }
        }
        return Kind.PLATFORM;
    }

    /** Tells whether the compiler made a method to call this one: a bridge of the same name, or what
     * Kotlin and Scala make for default arguments and traits, with a dollar after the name. */
    private static boolean isBridge(StackFrame frame, StackFrame called) {
        if (frame.getMethodName().startsWith(called.getMethodName() + "$")) {
            return true;
        }
        if (!frame.getMethodName().equals(called.getMethodName())) {
            return false;
        }
        try {
            for (Method method : frame.getDeclaringClass().getDeclaredMethods()) {
                if (method.isBridge()
                        && method.getName().equals(frame.getMethodName())
                        && MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                                .equals(frame.getMethodType())) {
                    return true;
                }
            }
            return false;
        } catch (LinkageError | RuntimeException error) {
            return false;
        }
    }
}
