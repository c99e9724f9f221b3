package benchaudit.race;

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
    private final List<Worker> workers = new ArrayList<>();
    private final boolean each;
    private final long limitSeconds;

    /** One thread runs the first `suffixes` of them where `threads` is nought. */
    Crew(int threads, int suffixes, int turns, boolean each, long limitSeconds) {
        this.each = each;
        this.limitSeconds = limitSeconds;
        for (int number = 0; number < Math.max(1, threads); number++) {
            workers.add(new Worker(number, turns, threads == 0 ? suffixes : 1));
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
        String locked = Deadlock.dump();
        if (!locked.isEmpty()) {
            return locked;
        }
        long[] busy = workers.stream().filter(one -> one.busy).mapToLong(Thread::getId).toArray();
        return "not over after " + limitSeconds + " s" + Deadlock.described(busy);
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
        private final int many;
        private final Sink sink = new Sink();

        Worker(int number, int turns, int many) {
            super("suffix-" + number);
            this.number = number;
            this.turns = turns;
            this.many = many;
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
                for (int one = number; one < number + many; one++) {
                    race.suffix(one, turns, sink);
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
