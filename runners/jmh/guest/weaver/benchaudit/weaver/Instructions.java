package benchaudit.weaver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What is to be woven in. One method a line, fields parted by tabs; with those that are traced
 * or counted also the classes of the library, a line each, and what they extend and implement:
 *
 * <pre>
 * count  TOKEN  internal/Owner.name(descriptor)result
 * delay  TOKEN  free|guarded  internal/Owner.name(descriptor)result
 * trace  TOKEN  internal/Owner.name(descriptor)result
 * declared  TOKEN  internal/Owner.name(descriptor)result       of a method without a body
 * library  internal/Owner  [internal/Above[,internal/Above]]
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
        /** Why the method cannot be changed; null: it can, as far as is known. */
        volatile String failure;

        Target(String token, String where, int index, boolean counted) {
            this.token = token;
            int dot = where.indexOf('.');
            this.owner = where.substring(0, dot);
            this.method = where.substring(dot + 1);
            this.index = index;
            this.counted = counted;
        }

        String name() {
            return method.substring(0, method.indexOf('('));
        }
    }

    final List<Target> targets = new ArrayList<>();
    final Map<String, Map<String, Target>> byOwner = new HashMap<>();
    boolean guarded;
    boolean counting;
    /** Each name with its descriptor that some method to change has, and a number for it: the
     * index of the first one. */
    final Map<String, Integer> named = new HashMap<>();
    /** The methods without a body. */
    final Map<String, Target> declared = new HashMap<>();
    /** The classes of the library, and what they extend and implement. */
    final Map<String, List<String>> library = new HashMap<>();
    /** The classes with traced methods by the last parts of their names. */
    final Map<String, List<String>> ending = new HashMap<>();

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
            add(new Target(fields[1], fields[2], targets.size(), false));
        } else if (fields[0].equals("declared") && fields.length == 3) {
            Target target = new Target(fields[1], fields[2], targets.size(), false);
            targets.add(target);
            declared.put(fields[2], target);
        } else if (fields[0].equals("library") && fields.length <= 3) {
            library.put(fields[1], fields.length == 2
                    ? Collections.emptyList() : Arrays.asList(fields[2].split(",")));
        } else {
            throw new IllegalArgumentException("not an instruction: " + String.join(" ", fields));
        }
    }

    private void add(Target target) {
        targets.add(target);
        named.putIfAbsent(target.method, target.index);
        byOwner.computeIfAbsent(target.owner, this::known).put(target.method, target);
    }

    private Map<String, Target> known(String owner) {
        ending.computeIfAbsent(end(owner), end -> new ArrayList<>()).add(owner);
        return new HashMap<>();
    }

    /** Returns what a class keeps that is put into another package: its name, and the last part
     * of its package's. */
    static String end(String owner) {
        int slash = owner.lastIndexOf('/');
        return owner.substring(slash < 0 ? 0 : owner.lastIndexOf('/', slash - 1) + 1);
    }

    /** Tells whether a class is known to be the library's by its name. */
    boolean isOfLibrary(String owner) {
        return byOwner.containsKey(owner) || library.containsKey(owner);
    }

    /** Returns the method without a body that a call of a class of the library means, or null. */
    Target declares(String owner, String method) {
        if (byOwner.getOrDefault(owner, Collections.emptyMap()).containsKey(method)) {
            return null;
        }
        Target found = declared.get(owner + "." + method);
        for (String above : library.getOrDefault(owner, Collections.emptyList())) {
            found = found == null ? declares(above, method) : found;
        }
        return found;
    }
}
