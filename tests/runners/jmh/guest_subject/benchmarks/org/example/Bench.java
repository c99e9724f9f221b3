package org.example;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Bench {
    @Benchmark
    public int turns() {
        return Work.turns(5);
    }

    @Benchmark
    public int thrown() {
        try {
            return Work.thrown(5);
        } catch (IllegalStateException error) {
            return 1;
        }
    }

    @Benchmark
    public int made() {
        return new Work(5).kept();
    }

    @Benchmark
    public long deep() {
        return Work.deep(20);
    }

    private static Semaphore before;

    /** Begins a call that ends in the next operation, and so one that outlasts the block. */
    @Benchmark
    public int stays() {
        Semaphore begun = new Semaphore(0);
        Semaphore leave = new Semaphore(0);
        Thread thread = new Thread(() -> Work.stay(begun, leave));
        thread.setDaemon(true);
        thread.start();
        begun.acquireUninterruptibly();
        if (before != null) {
            before.release();
        }
        before = leave;
        return Work.turns(5);
    }

    @Benchmark
    @BenchmarkMode({Mode.Throughput, Mode.SampleTime})
    @Threads(2)
    public int threads() {
        return Work.turns(7);
    }

    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    @Fork(0)
    public int sampled() {
        return Work.turns(7);
    }

    @Benchmark
    @Group("both")
    public int left() {
        return Work.turns(7);
    }

    @Benchmark
    @Group("both")
    public int right() {
        return Work.turns(8);
    }

    @Benchmark
    @Fork(value = 3, jvmArgs = "-Dmain=a b", jvmArgsPrepend = "-Dfirst=1", jvmArgsAppend = "-Dlast=2")
    public String arguments() {
        String all = System.getProperty("main") + System.getProperty("first")
                + System.getProperty("last");
        if (!all.equals("a b12")) {
            throw new IllegalStateException(all);
        }
        return all;
    }

    @Benchmark
    public int fails() {
        throw new IllegalStateException("this one fails");
    }

    @Benchmark
    public int leaves() {
        System.exit(0);
        return 1;
    }

    @Benchmark
    public int hangs() throws InterruptedException {
        while (true) {
            try {
                Thread.sleep(1000);
            } catch (InterruptedException error) {
                continue;
            }
        }
    }

    /** One choice of the parameter has a comma in it. */
    @State(Scope.Benchmark)
    public static class Chosen {
        @Param({"1,5", "200"})
        public String sizes;

        @Param({"a"})
        public String name;

        @Setup
        public void prepare() {
            for (int size = 0; size < 100; size++) {
                Work.onlySetUp(size);
                Work.turns(size);
            }
        }
    }

    @Benchmark
    public int chosen(Chosen chosen) {
        return Work.turns(chosen.sizes.length());
    }

    /** The result of one call goes into the next. */
    @State(Scope.Thread)
    public static class Last {
        public long hash = 5;
    }

    @Benchmark
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    public long brief(Last last) {
        last.hash = Work.brief(last.hash);
        return last.hash;
    }

    /** Set-up at each iteration and each call. */
    @State(Scope.Thread)
    public static class Fresh {
        @Setup(Level.Iteration)
        public void iteration() {
            Work.onlySetUp(1);
        }

        @Setup(Level.Invocation)
        public void call() {
            Work.eachCall(1);
        }
    }

    @Benchmark
    @Warmup(time = 30, timeUnit = TimeUnit.MILLISECONDS)
    @Measurement(time = 40, timeUnit = TimeUnit.MILLISECONDS)
    public int fresh(Fresh fresh) {
        return Work.turns(3);
    }

    @Benchmark
    public Step sortedByLibrary() {
        Step[] steps = {new Step(2), new Step(1)};
        Step.sort(steps);
        return steps[0];
    }

    @Benchmark
    public String sortedByBenchmark() {
        Step[] steps = {new Step(2), new Step(1)};
        java.util.Arrays.sort(steps);
        java.util.function.Supplier<String> supplier = steps[0];
        return supplier.get() + Step.get$default(steps[1]);
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @Measurement(batchSize = 50)
    public int once() {
        return Work.turns(3);
    }
}
