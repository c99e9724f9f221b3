package benchaudit.jmh;

import benchaudit.boot.Delay;
import benchaudit.boot.LaunchVariables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** The blocks that the process is to run, from the file that the host names. */
final class Schedule {
    private static final String HEADER = "bench-audit-schedule 1";

    private static String path = LaunchVariables.find("BENCH_AUDIT_SCHEDULE");

    private final List<String[]> arms = new ArrayList<>();
    private final List<Integer> blocks = new ArrayList<>();
    private final List<Boolean> measured = new ArrayList<>();
    private final Stop stop = new Stop();
    private double slow;
    private double spent;

    /** Has the schedule of another benchmark read next. */
    static void readFrom(String file) {
        path = file;
    }

    static Schedule read() throws IOException {
        if (path == null) {
            throw new IOException("BENCH_AUDIT_SCHEDULE is not set");
        }
        List<String> lines = Files.readAllLines(Paths.get(path), StandardCharsets.UTF_8);
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw new IOException("not a schedule: " + path);
        }
        Schedule schedule = new Schedule();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split("\t");
            if (fields[0].equals("arm")) {
                schedule.arms.add(fields);
                schedule.stop.read(fields);
            } else if (fields[0].equals("block")) {
                schedule.blocks.add(Integer.valueOf(fields[2]));
                schedule.measured.add(!fields[1].equals("warmup"));
            } else if (fields[0].equals("slow")) {
                schedule.slow = Double.parseDouble(fields[1]);
            } else {
                schedule.stop.read(fields);
            }
        }
        return schedule;
    }

    int length() {
        return blocks.size();
    }

    boolean readsClock(int block) {
        int how = how(wait(block));
        return how != Delay.WORK && how != Delay.ALLOCATE;
    }

    /** Chooses the arm of a block. */
    void select(int block) {
        String[] arm = arms.get(blocks.get(block));
        Delay.select(how(wait(block)), Double.parseDouble(arm[4]));
    }

    /** Takes what a block measured; tells after how many of each arm the process may end, else 0. */
    int decided(int block, double seconds) {
        if (!measured.get(block)) {
            return 0;
        }
        return stop.decided(arms.get(blocks.get(block))[2], seconds);
    }

    boolean isMeasured(int block) {
        return measured.get(block);
    }

    /** Takes how long a block lasted; tells whether all so far were so slow that they are enough. */
    boolean isSlow(double wall) {
        spent += wall;
        return slow > 0 && spent > slow;
    }

    private String wait(int block) {
        return arms.get(blocks.get(block))[3];
    }

    private static int how(String wait) {
        switch (wait) {
            case "none":
            case "work":
                return Delay.WORK;
            case "spin":
                return Delay.SPIN;
            case "sleep":
                return Delay.SLEEP;
            case "clock":
                return Delay.CLOCK;
            case "allocate":
                return Delay.ALLOCATE;
            default:
                throw new IllegalArgumentException("no such wait: " + wait);
        }
    }
}
