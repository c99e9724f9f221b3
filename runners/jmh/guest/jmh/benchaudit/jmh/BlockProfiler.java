package benchaudit.jmh;

import benchaudit.boot.Agent;
import benchaudit.boot.Calls;
import benchaudit.boot.Delay;
import benchaudit.boot.Records;
import benchaudit.boot.Totals;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;

/**
 * Chooses the arm before each iteration and writes a record after it, in the fork. JMH's own output
 * is rounded, leaves the warm-up out, and is lost when the process is killed.
 */
public final class BlockProfiler implements InternalProfiler {
    private static final double NANOSECOND = 1e-9;
    /** Blocks in which a counted method is clocked, about. */
    private static final int CLOCKED = 4;

    private Schedule schedule;
    private Sampler sampler;
    private Totals before;
    private boolean costKnown;
    private int block;
    private boolean stopped;
    private boolean leftOut;
    private long started;

    @Override
    public String getDescription() {
        return "exact values of each iteration";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (stopped) {
            Delay.select(Delay.WORK, 0);
            return;
        }
        try {
            if (schedule == null) {
                schedule = Schedule.read();
                sampler = Sampler.ofEnvironment();
            }
        } catch (IOException error) {
            throw fail(error.toString());
        }
        if (block >= schedule.length()) {
            throw fail("there are more iterations than the " + block + " of the schedule");
        }
        schedule.select(block);
        if (schedule.readsClock(block) && !costKnown) {
            costKnown = true;
            Records.append("clock-cost\t" + Delay.clockCost() + "\n");
        }
        before = Calls.totals();
        Calls.clock(before, block, schedule.length() / CLOCKED);
        if (sampler != null) {
            sampler.begin(iteration, block);
        }
        started = System.nanoTime();
    }

    private static RuntimeException fail(String why) {
        Records.failed(why);
        return new IllegalStateException(why);
    }

    @Override
    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (sampler != null) {
            sampler.end(block);
        }
        if (stopped || result.getRawPrimaryResults().isEmpty()) {
            return Collections.emptyList(); // decided before, or the benchmark threw
        }
        double wall = (System.nanoTime() - started) * NANOSECOND;
        double seconds = seconds(benchmark, result.getPrimaryResult().getScore());
        if (sampler != null) {
            sampler.writeTimes(block, result.getMetadata().getMeasuredOps(), seconds);
        }
        int decided = schedule.decided(block, seconds);
        boolean slow = schedule.isSlow(wall);
        boolean over = decided > 0 || Rest.isUnwanted() || slow;
        stopped = leftOut || over && Rest.shorten(benchmark, iteration, block + 1);
        // The one iteration that JMH still measures is the next block, whatever that was to be.
        leftOut |= slow && !stopped && Rest.leaveOut(benchmark, block + 1);
        Totals after = Calls.totals();
        boolean last = stopped || block == schedule.length() - 1;
        if (last && Agent.check != null) {
            Agent.check.run();
        }
        StringBuilder lines = new StringBuilder();
        if (Agent.counted.length > 0) {
            long operations = result.getMetadata().getAllOps();
            window(lines, after, operations);
            clocked(lines, after, operations, seconds * operations);
            if (last) {
                outside(lines, after);
            }
        }
        metrics(lines, result);
        line(
                lines,
                "block",
                block,
                result.getMetadata().getAllOps(),
                seconds,
                wall,
                after.clocked - before.clocked,
                (after.nanos - before.nanos) * NANOSECOND);
        if (stopped) {
            line(lines, "stopped", decided);
        }
        Records.append(lines.toString());
        block++;
        return Collections.emptyList();
    }

    /** A rate, summed over the threads, is turned into seconds per operation; a time is scaled. */
    private static double seconds(BenchmarkParams benchmark, double score) {
        TimeUnit unit = benchmark.getTimeUnit();
        double scale = unit.toNanos(1) * NANOSECOND;
        return benchmark.getMode() == Mode.Throughput ? scale / score : score * scale;
    }

    private void metrics(StringBuilder lines, IterationResult result) {
        for (Map.Entry<String, Result> entry : result.getSecondaryResults().entrySet()) {
            double score = entry.getValue().getScore();
            if (!Double.isNaN(score)) {
                String name = Records.clean(entry.getKey());
                String unit = Records.clean(entry.getValue().getScoreUnit());
                line(lines, "metric", block, name, unit, score);
            }
        }
    }

    private void window(StringBuilder lines, Totals after, long operations) {
        line(lines, "window", operations);
        for (int method = 0; method < Agent.counted.length; method++) {
            long calls = after.counts[method] - before.counts[method];
            line(lines, "count", Agent.counted[method], calls, after.nested[method] ? 1 : 0);
            long byLibrary = after.byLibrary[method] - before.byLibrary[method];
            long byOthers = after.byOthers[method] - before.byOthers[method];
            if (byLibrary + byOthers > 0) {
                line(lines, "callers", Agent.counted[method], byLibrary, byOthers);
            }
        }
    }

    private void clocked(StringBuilder lines, Totals after, long operations, double elapsed) {
        for (int method = 0; method < Agent.counted.length; method++) {
            if (Calls.clocks(method) && !after.open[method]) {
                double spent = (after.times[method] - before.times[method]) * NANOSECOND;
                line(lines, "clocked", Agent.counted[method], operations, spent, elapsed);
            }
        }
    }

    private static void outside(StringBuilder lines, Totals after) {
        for (int method = 0; method < Agent.counted.length; method++) {
            if (after.outside[method] > 0) {
                line(lines, "outside", Agent.counted[method], after.outside[method]);
            }
        }
    }

    private static void line(StringBuilder lines, Object... fields) {
        String separator = "";
        for (Object field : fields) {
            lines.append(separator).append(field);
            separator = "\t";
        }
        lines.append('\n');
    }
}
