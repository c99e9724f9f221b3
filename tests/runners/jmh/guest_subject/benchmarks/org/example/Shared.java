package org.example;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What a benchmark may leave to those that run after it in one JVM. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Shared {
    @Benchmark
    public int leavesThread() {
        Thread thread = new Thread(() -> {
            while (true) {
                Work.turns(5);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return Work.turns(5);
    }

    private static boolean sleeps;

    @Benchmark
    public int leavesSleeper() {
        if (sleeps) {
            return Work.turns(5);
        }
        sleeps = true;
        Thread thread = new Thread(() -> {
            while (true) {
                try {
                    Thread.sleep(50);
                } catch (InterruptedException error) {
                    return;
                }
                Work.turns(5);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return Work.turns(5);
    }

    /** A state that one choice of the parameter fails with. */
    @State(Scope.Benchmark)
    public static class Kind {
        @Param({"bad", "good"})
        public String kind;
    }

    private static boolean failed;

    @Benchmark
    public int mayFail(Kind kind) {
        if (kind.kind.equals("bad") && !failed) {
            failed = true;
            throw new IllegalStateException("this one fails");
        }
        return Work.turns(5);
    }

    @Benchmark
    public String readsDate() {
        return new java.util.Date().toString();
    }

    @Benchmark
    public Process leavesProcess() throws java.io.IOException {
        return new ProcessBuilder("sleep", "600").start();
    }

    @Benchmark
    public int setsProperty() {
        System.setProperty("org.example.kind", "other");
        return Work.turns(5);
    }
}
