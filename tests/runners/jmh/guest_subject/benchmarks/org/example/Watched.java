package org.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** Benchmarks whose processes are ended early: they leave a file when they are torn down. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Watched {
    private int iterations;

    @Setup(Level.Iteration)
    public void count() {
        iterations++;
    }

    @TearDown(Level.Trial)
    public void tearDown() throws IOException {
        Files.write(Paths.get("torn-down"), String.valueOf(iterations).getBytes());
    }

    @Benchmark
    public int calm() {
        return Work.turns(5);
    }

    @Benchmark
    @Threads(2)
    public int together() {
        return Work.turns(5);
    }

    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    public int single() throws InterruptedException {
        Thread.sleep(30);
        return Work.turns(5);
    }

    @Benchmark
    public int lengthy() throws InterruptedException {
        Thread.sleep(400);
        return Work.turns(5);
    }

    @Benchmark
    public int chatty() throws InterruptedException {
        System.out.println("block\t0\t1\t1.0\t1.0\t0\t0");
        Thread.sleep(1);
        return Work.turns(5);
    }

    @Benchmark
    public int breaks() {
        if (iterations > 4) {
            throw new IllegalStateException("this one fails later");
        }
        return Work.turns(5);
    }
}
