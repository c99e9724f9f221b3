package benchaudit.jmh;

import benchaudit.boot.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Optional;

/**
 * Lists the benchmarks on the class path with their authors' settings, one JSON object a line and
 * mode. Argument: the file to write. JMH reads its own lines: their format belongs to its version.
 */
public final class Lister {
    private static final double NANOSECOND = 1e-9;

    private Lister() {}

    /** Writes the list; a line that cannot be read is one of its own. */
    public static void main(String[] arguments) throws IOException {
        Set<String> lines = new LinkedHashSet<>();
        ClassLoader loader = Lister.class.getClassLoader();
        List<URL> lists = Collections.list(loader.getResources("META-INF/BenchmarkList"));
        for (URL list : lists) {
            try (BufferedReader text = new BufferedReader(
                    new InputStreamReader(list.openStream(), StandardCharsets.UTF_8))) {
                lines.addAll(text.lines().filter(line -> !line.trim().isEmpty())
                        .collect(Collectors.toList()));
            }
        }
        try (PrintWriter out =
                new PrintWriter(Files.newBufferedWriter(Paths.get(arguments[0])))) {
            for (String line : lines) {
                out.println(Json.of(read(line)));
            }
        }
    }

    private static Map<String, Object> read(String line) {
        try {
            return describe(new BenchmarkListEntry(line));
        } catch (RuntimeException | LinkageError error) {
            Map<String, Object> unusable = new LinkedHashMap<>();
            unusable.put("kind", "unusable");
            unusable.put("name", line.length() > 120 ? line.substring(0, 120) : line);
            unusable.put("reason", error.toString());
            return unusable;
        }
    }

    private static Map<String, Object> describe(BenchmarkListEntry entry) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("kind", "benchmark");
        found.put("name", entry.getUsername());
        found.put("class", entry.getUserClassQName());
        found.put("mode", entry.getMode().name());
        found.put("parameters", given(entry.getParams()));
        found.put("threads", given(entry.getThreads()));
        found.put("groups", entry.getThreadGroups().length == 0
                ? 1 : java.util.Arrays.stream(entry.getThreadGroups()).sum());
        found.put("processors", Runtime.getRuntime().availableProcessors());
        found.put("forks", given(entry.getForks()));
        found.put("jvm", given(entry.getJvm()));
        found.put("jvm_arguments", given(entry.getJvmArgs()));
        found.put("prepend", given(entry.getJvmArgsPrepend()));
        found.put("append", given(entry.getJvmArgsAppend()));
        found.put("warmups", given(entry.getWarmupIterations()));
        found.put("iterations", given(entry.getMeasurementIterations()));
        found.put("warmup_seconds", seconds(entry.getWarmupTime()));
        found.put("warmup_batch", given(entry.getWarmupBatchSize()));
        found.put("iteration_seconds", seconds(entry.getMeasurementTime()));
        found.put("iteration_batch", given(entry.getMeasurementBatchSize()));
        found.put("operations_per_call", given(entry.getOperationsPerInvocation()));
        found.put("fixtures", Fixtures.of(
                entry.getUserClassQName(),
                entry.getUsername().substring(entry.getUsername().lastIndexOf('.') + 1)));
        return found;
    }

    private static Object given(Optional<?> value) {
        return value.hasValue() ? value.get() : null;
    }

    private static Double seconds(Optional<TimeValue> time) {
        return time.hasValue() ? time.get().convertTo(java.util.concurrent.TimeUnit.NANOSECONDS)
                * NANOSECOND : null;
    }
}
