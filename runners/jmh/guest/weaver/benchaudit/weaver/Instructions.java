package benchaudit.weaver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is to be woven in. One method a line, fields parted by tabs; with those that are traced
 * also the classes of the library, a line each ({@code library  internal/Owner}):
 *
 * <pre>
 * count  TOKEN  internal/Owner.name(descriptor)result
 * delay  TOKEN  free|guarded  internal/Owner.name(descriptor)result
 * trace  TOKEN  internal/Owner.name(descriptor)result
 * </pre>
 */
final class Instructions {
    /** One method to change. */
    static final class Target {
        final String token;
        final String owner;
        final String method;
        final int index;
        final boolean counted;
        volatile boolean present;
        volatile boolean failed;

        Target(String token, String where, int index, boolean counted) {
            this.token = token;
            int dot = where.indexOf('.');
            this.owner = where.substring(0, dot);
            this.method = where.substring(dot + 1);
            this.index = index;
            this.counted = counted;
        }
    }

    final List<Target> targets = new ArrayList<>();
    final Map<String, Map<String, Target>> byOwner = new HashMap<>();
    boolean guarded;
    boolean counting;
    boolean tracing;
    final Set<String> library = new HashSet<>();

    static Instructions read(String path) throws IOException {
        Instructions read = new Instructions();
        for (String line : Files.readAllLines(Paths.get(path), StandardCharsets.UTF_8)) {
            if (!line.isEmpty()) {
                read.take(line.split("\t"));
            }
        }
        return read;
    }

    private void take(String[] fields) {
        if (fields[0].equals("count") && fields.length == 3) {
            counting = true;
            add(new Target(fields[1], fields[2], targets.size(), true));
        } else if (fields[0].equals("delay") && fields.length == 4) {
            guarded |= fields[2].equals("guarded");
            add(new Target(fields[1], fields[3], targets.size(), false));
        } else if (fields[0].equals("trace") && fields.length == 3) {
            tracing = true;
            add(new Target(fields[1], fields[2], targets.size(), false));
        } else if (fields[0].equals("library") && fields.length == 2) {
            library.add(fields[1]);
        } else {
            throw new IllegalArgumentException("not an instruction: " + String.join(" ", fields));
        }
    }

    private void add(Target target) {
        targets.add(target);
        byOwner.computeIfAbsent(target.owner, owner -> new HashMap<>()).put(target.method, target);
    }
}
