package benchaudit.maker;

import benchaudit.race.Deadlock;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A version: its classes, in a loader of their own, and the statements defined so far. */
final class Side {
    /** How long a thread may need to end once it was interrupted. */
    private static final long GRACE = 300;

    final String name;
    final ClassLoader loader;
    final List<File> path = new ArrayList<>();
    private final long limit;
    private final Map<Integer, Statement> statements = new HashMap<>();
    private final Map<Integer, String> broken = new HashMap<>();
    private boolean stuck;

    Side(String name, String path, long limit) throws MalformedURLException {
        this.name = name;
        this.limit = limit;
        List<URL> urls = new ArrayList<>();
        for (String part : path.split(File.pathSeparator)) {
            this.path.add(new File(part));
            urls.add(new File(part).toURI().toURL());
        }
        // Not this program's own classes: a subject may have some of the same name.
        loader = new URLClassLoader(
                urls.toArray(new URL[0]), ClassLoader.getSystemClassLoader().getParent());
    }

    void define(int number, List<String> fields) {
        statements.remove(number);
        broken.remove(number);
        try {
            statements.put(number, new Statement(fields, loader));
        } catch (ReflectiveOperationException | LinkageError | RuntimeException error) {
            broken.put(number, String.valueOf(error));
        }
    }

    /** Tells whether threads of an attempt are left that nothing ends. */
    boolean stuck() {
        return stuck;
    }

    /** Runs a prefix and segments; returns what to answer where something is wrong, else null. */
    String[] attempt(boolean threads, int[] prefix, List<int[]> segments, List<Integer> repeats)
            throws InterruptedException {
        Attempt attempt = new Attempt(prefix, segments, repeats);
        List<Thread> running = new ArrayList<>();
        long until = System.nanoTime() + limit * 1_000_000;
        if (threads) {
            running.add(attempt.start(attempt::prefix));
            join(running, until);
            CountDownLatch gate = new CountDownLatch(1);
            if (attempt.raised == null && !alive(running)) {
                for (int one = 0; one < segments.size(); one++) {
                    int segment = one;
                    running.add(attempt.start(() -> {
                        gate.await();
                        attempt.segment(segment);
                    }));
                }
            }
            gate.countDown();
        } else {
            running.add(attempt.start(() -> {
                attempt.prefix();
                for (int one = 0; one < segments.size(); one++) {
                    attempt.segment(one);
                }
            }));
        }
        join(running, until);
        if (alive(running)) {
            String locked = Deadlock.dump();
            for (Thread thread : running) {
                thread.interrupt();
            }
            join(running, System.nanoTime() + GRACE * 1_000_000);
            stuck = alive(running);
            return new String[] {stuck ? "stuck" : "blocked", name, locked};
        }
        return attempt.raised;
    }

    private static void join(List<Thread> threads, long until) throws InterruptedException {
        for (Thread thread : threads) {
            long left = until - System.nanoTime();
            if (left > 0) {
                TimeUnit.NANOSECONDS.timedJoin(thread, left);
            }
        }
    }

    private static boolean alive(List<Thread> threads) {
        return threads.stream().anyMatch(Thread::isAlive);
    }

    private interface Part {
        void run() throws Throwable;
    }

    private final class Attempt {
        private final int[] prefix;
        private final List<int[]> segments;
        private final List<Integer> repeats;
        private final Object[] shared;
        volatile String[] raised;

        Attempt(int[] prefix, List<int[]> segments, List<Integer> repeats) {
            this.prefix = prefix;
            this.segments = segments;
            this.repeats = repeats;
            shared = new Object[prefix.length];
        }

        Thread start(Part part) {
            Thread thread = new Thread(() -> {
                try {
                    part.run();
                } catch (Throwable error) {
                    // Of several threads the first counts.
                    if (raised == null) {
                        raised = new String[] {"raised", name, "-1", "-1", String.valueOf(error)};
                    }
                }
            });
            thread.setDaemon(true);
            thread.setContextClassLoader(loader);
            thread.start();
            return thread;
        }

        void prefix() {
            for (int at = 0; at < prefix.length && raised == null; at++) {
                shared[at] = step(prefix[at], shared, -1, at);
            }
        }

        void segment(int number) {
            int[] steps = segments.get(number);
            Object[] own = new Object[steps.length];
            for (int turn = 0; turn < repeats.get(number); turn++) {
                for (int at = 0; at < steps.length && raised == null; at++) {
                    own[at] = step(steps[at], own, number, at);
                }
            }
        }

        private Object step(int statement, Object[] own, int segment, int at) {
            Statement found = statements.get(statement);
            if (found == null) {
                fail(segment, at, broken.get(statement));
                return null;
            }
            try {
                return found.run(shared, own);
            } catch (Throwable error) {
                fail(segment, at, String.valueOf(error));
                return null;
            }
        }

        private void fail(int segment, int at, String what) {
            if (raised == null) {
                raised = new String[] {
                    "raised", name, String.valueOf(segment), String.valueOf(at), what
                };
            }
        }
    }
}
