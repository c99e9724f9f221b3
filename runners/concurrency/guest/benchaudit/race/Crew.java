package benchaudit.race;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * The threads that run suffixes, kept from one repetition to the next. The clock is read in the
 * threads themselves: one that waits for them would be late where they have all the cores.
 */
final class Crew {
    private static final int FRAMES = 12;

    private final List<Worker> workers = new ArrayList<>();
    private final boolean each;
    private final long limitSeconds;

    /** One thread runs all suffixes where `threads` is nought. */
    Crew(int threads, int turns, boolean each, long limitSeconds) {
        this.each = each;
        this.limitSeconds = limitSeconds;
        for (int number = 0; number < Math.max(1, threads); number++) {
            workers.add(new Worker(number, turns, threads == 0));
        }
        for (Worker worker : workers) {
            worker.start();
        }
    }

    /** Runs the suffixes; returns the seconds from the first start to the last end, or their mean. */
    double run(Race race) throws Failure, InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(workers.size());
        for (Worker worker : workers) {
            worker.tasks.put(new Task(race, start, end));
        }
        start.countDown();
        if (!end.await(limitSeconds, TimeUnit.SECONDS)) {
            throw new Failure(stuck());
        }
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        long sum = 0;
        for (Worker worker : workers) {
            if (worker.failure != null) {
                throw new Failure("suffix " + worker.number + " raised " + text(worker.failure));
            }
            first = Math.min(first, worker.started);
            last = Math.max(last, worker.ended);
            sum += worker.ended - worker.started;
        }
        return (each ? (double) sum / workers.size() : last - first) / 1e9;
    }

    /** Says what a throwable is and where it came from, without the frames of this program. */
    static String text(Throwable error) {
        StringBuilder text = new StringBuilder(String.valueOf(error));
        int frames = 0;
        for (StackTraceElement frame : error.getStackTrace()) {
            if (frame.getClassName().startsWith("benchaudit.") || frames++ == 3) {
                break;
            }
            text.append(" at ").append(frame);
        }
        return text.toString();
    }

    private String stuck() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] locked = threads.findDeadlockedThreads();
        StringBuilder text = new StringBuilder();
        if (locked == null) {
            text.append("not over after ").append(limitSeconds).append(" s");
        } else {
            text.append("deadlock of ").append(locked.length).append(" threads");
        }
        for (ThreadInfo info : threads.getThreadInfo(ids(locked), FRAMES)) {
            if (info != null) {
                text.append("\n").append(info.getThreadName()).append(' ');
                text.append(info.getThreadState());
                if (info.getLockName() != null) {
                    text.append(" on ").append(info.getLockName());
                    text.append(" held by ").append(info.getLockOwnerName());
                }
                for (StackTraceElement frame : info.getStackTrace()) {
                    text.append("\n    at ").append(frame);
                }
            }
        }
        return text.toString();
    }

    private long[] ids(long[] locked) {
        if (locked != null) {
            return locked;
        }
        return workers.stream().filter(one -> one.busy).mapToLong(Thread::getId).toArray();
    }

    /** What ends a measurement. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    private static final class Task {
        final Race race;
        final CountDownLatch start;
        final CountDownLatch end;

        Task(Race race, CountDownLatch start, CountDownLatch end) {
            this.race = race;
            this.start = start;
            this.end = end;
        }
    }

    private static final class Worker extends Thread {
        final SynchronousQueue<Task> tasks = new SynchronousQueue<>();
        final int number;
        long started;
        long ended;
        Throwable failure;
        volatile boolean busy;
        private final int turns;
        private final boolean all;
        private final Sink sink = new Sink();

        Worker(int number, int turns, boolean all) {
            super("suffix-" + number);
            this.number = number;
            this.turns = turns;
            this.all = all;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Task task = tasks.take();
                    busy = true;
                    task.start.await();
                    race(task.race);
                    busy = false;
                    task.end.countDown();
                }
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }

        private void race(Race race) {
            failure = null;
            started = System.nanoTime();
            try {
                if (all) {
                    for (int one = 0; one < race.suffixes(); one++) {
                        race.suffix(one, turns, sink);
                    }
                } else {
                    race.suffix(number, turns, sink);
                }
            } catch (Throwable error) {
                failure = error;
            }
            ended = System.nanoTime();
            // The next wait of this thread is ours, not the subject's.
            Thread.interrupted();
        }
    }
}
