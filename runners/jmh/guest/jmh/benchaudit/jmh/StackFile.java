package benchaudit.jmh;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file of sampled stacks: UTF-8, one entry a line, fields parted by tabs. `runners/jmh/profiles`
 * describes the entries.
 */
final class StackFile {
    private static final String HEADER = "bench-audit-stacks 1\n";
    private static final File THREADS = new File("/proc/self/task");
    /** Place of the count among the words behind the name. */
    private static final int MINOR_FAULTS = 7;
    private static final Pattern SAMPLE = Pattern.compile("\\[(.*) tid=(\\d+)\\](?:;(.*))? (\\d+)");
    private static final Pattern JAVA = Pattern.compile("_\\[[01ij]\\](?:;|$)");
    private static final Pattern BROKEN = Pattern.compile("(?:^|;)\\[[^;]*\\](?:;|$)");
    private static final Pattern STUB = Pattern.compile("(?:^|;)([^;(]*_jmhStub\\()");

    private final File file;

    StackFile(File file) {
        this.file = file;
    }

    /**
     * Writes CPU time, run-queue time and minor page faults of each thread; nothing where the kernel
     * hides them.
     */
    void writeThreadTimes(int block, String when) {
        StringBuilder lines = new StringBuilder();
        File[] threads = THREADS.listFiles();
        for (File thread : threads == null ? new File[0] : threads) {
            String[] times = words(new File(thread, "schedstat"));
            String[] counts = words(new File(thread, "stat"));
            if (times.length >= 2 && counts.length > MINOR_FAULTS) {
                String faults = counts[MINOR_FAULTS];
                entry(lines, "thread", block, when, thread.getName(), times[0], times[1], faults);
            }
        }
        append(lines.toString());
    }

    /** Returns the words of a file, behind the name of the thread if there is one. */
    private static String[] words(File file) {
        try {
            String text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
            return text.substring(text.lastIndexOf(')') + 1).trim().split(" ");
        } catch (IOException ended) {
            return new String[0];
        }
    }

    /** Writes how many operations a block timed, and the seconds of each. */
    void writeTimes(int block, long operations, double seconds) {
        StringBuilder lines = new StringBuilder();
        entry(lines, "timed", block, operations, seconds);
        append(lines.toString());
    }

    /** Writes the profile of a block; what lies outside of JMH's stub is only counted. */
    void writeStacks(int block, String profile) {
        StringBuilder lines = new StringBuilder();
        String driver = Thread.currentThread().getName();
        for (String line : profile.split("\n")) {
            Matcher sample = SAMPLE.matcher(line);
            if (!sample.matches() || sample.group(1).equals(driver)) {
                continue;
            }
            String frames = sample.group(3) == null ? "" : sample.group(3).replace('\t', ' ');
            Matcher stub = STUB.matcher(frames);
            if (stub.find()) {
                String inner = frames.substring(stub.start(1));
                entry(lines, "stack", block, sample.group(2), sample.group(4), inner);
            } else {
                entry(lines, "other", block, sample.group(2), sample.group(4), kind(frames));
            }
        }
        append(lines.toString());
    }

    private static String kind(String frames) {
        if (BROKEN.matcher(frames).find() || frames.isEmpty()) {
            return "broken";
        }
        return JAVA.matcher(frames).find() ? "java" : "native";
    }

    private static void entry(StringBuilder lines, Object... fields) {
        String separator = "";
        for (Object field : fields) {
            lines.append(separator).append(field);
            separator = "\t";
        }
        lines.append('\n');
    }

    private void append(String lines) {
        String text = file.length() == 0 ? HEADER + lines : lines;
        try (OutputStream stream = new FileOutputStream(file, true)) {
            stream.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException error) {
            throw new IllegalStateException("cannot write " + file, error);
        }
    }
}
