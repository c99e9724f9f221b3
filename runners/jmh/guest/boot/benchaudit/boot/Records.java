package benchaudit.boot;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The file that is read after the process ended: UTF-8, one entry a line, fields parted by tabs,
 * appended to with one write call each time, so that a killed process leaves whole lines.
 */
public final class Records {
    private static final String HEADER = "bench-audit-records 1\n";

    private static String path = LaunchVariables.find("BENCH_AUDIT_RECORDS");

    private Records() {}

    /** Goes on with the file of another benchmark. */
    public static synchronized void writeTo(String file) {
        path = file;
    }

    /** Appends whole lines. Does nothing in a process that was not given a file. */
    public static synchronized void append(String lines) {
        if (path == null || lines.isEmpty()) {
            return;
        }
        String text = new File(path).length() == 0 ? HEADER + lines : lines;
        try (OutputStream file = new FileOutputStream(path, true)) {
            file.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException error) {
            throw new IllegalStateException("cannot write " + path, error);
        }
    }

    /** Says why the guest cannot do its work. */
    public static void failed(String text) {
        append("failed\t" + clean(text) + "\n");
    }

    /** Returns the text without what would break a line into two, or a field. */
    public static String clean(String text) {
        return text.replaceAll("[\\t\\r\\n]+", " ");
    }
}
