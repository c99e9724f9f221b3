package benchaudit.maker;

import benchaudit.race.Silence;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/**
 * Describes types of two versions and runs sequences of statements with both, as it is told, so
 * that what makes tests can be elsewhere. Arguments: a named pipe to read requests from, a word that
 * begins each line of an answer, the milliseconds that an attempt may take, and the class path of
 * each version.
 *
 * <p>Requests and answers are lines of fields with a tabulator between them (`Fields`). Requests:
 *
 * <ul>
 *   <li>describe TYPE...: what both versions have of these types (`Types`), then "done"
 *   <li>subtypes TYPE..., factories TYPE...: what classes in the jars have (`Jars`), then "done"
 *   <li>define NUMBER STATEMENT: no answer; see `Statement`
 *   <li>try THREADS PREFIX SEGMENT...: runs the statements of the prefix, then the segments, one
 *       after the other or each in a thread of its own; numbers with commas, a segment as
 *       REPEATS:NUMBERS. The answer is "fine", "raised VERSION SEGMENT INDEX WHAT" or
 *       "blocked VERSION DUMP" (empty where it is no deadlock), or "stuck VERSION DUMP" before this
 *       process ends, as nothing ends its threads
 *   <li>bye
 * </ul>
 */
public final class Maker {
    private final OutputStream out;
    private final String token;
    private final Side[] sides;
    private final Types types;
    private final Jars jars;

    private Maker(OutputStream out, String[] arguments) throws Exception {
        this.out = out;
        token = arguments[1];
        long limit = Long.parseLong(arguments[2]);
        sides = new Side[] {
            new Side("old", arguments[3], limit), new Side("new", arguments[4], limit)
        };
        types = new Types(sides);
        jars = new Jars(sides);
    }

    /** Answers requests until "bye", or the end of the pipe. */
    public static void main(String[] arguments) throws Exception {
        try {
            talk(new FileOutputStream(FileDescriptor.out), arguments);
        } finally {
            // Whatever happened: threads that the subject has left would keep this process.
            Runtime.getRuntime().halt(0);
        }
    }

    private static void talk(OutputStream out, String[] arguments) throws Exception {
        Silence.fall();
        Maker maker = new Maker(out, arguments);
        maker.answer("ready");
        try (BufferedReader requests =
                Files.newBufferedReader(Paths.get(arguments[0]), StandardCharsets.UTF_8)) {
            String line = requests.readLine();
            while (line != null && !line.equals("bye")) {
                maker.serve(Fields.split(line));
                line = requests.readLine();
            }
        }
    }

    private void serve(List<String> request) throws Exception {
        List<String> rest = request.subList(1, request.size());
        switch (request.get(0)) {
            case "describe":
                for (String name : rest) {
                    for (List<String> line : types.describe(name)) {
                        answer(line.toArray(new String[0]));
                    }
                }
                answer("done");
                break;
            case "subtypes":
                all(jars.subtypes(rest));
                break;
            case "factories":
                all(jars.factories(rest));
                break;
            case "define":
                for (Side side : sides) {
                    side.define(Integer.parseInt(rest.get(0)), rest.subList(1, rest.size()));
                }
                break;
            case "try":
                attempt(rest);
                break;
            default:
                throw new IllegalArgumentException(request.get(0));
        }
    }

    private void all(List<List<String>> lines) throws IOException {
        for (List<String> line : lines) {
            answer(line.toArray(new String[0]));
        }
        answer("done");
    }

    private void attempt(List<String> words) throws Exception {
        boolean threads = words.get(0).equals("1");
        int[] prefix = numbers(words.get(1));
        List<int[]> segments = new ArrayList<>();
        List<Integer> repeats = new ArrayList<>();
        for (String word : words.subList(2, words.size())) {
            int colon = word.indexOf(':');
            repeats.add(Integer.parseInt(word.substring(0, colon)));
            segments.add(numbers(word.substring(colon + 1)));
        }
        for (Side side : sides) {
            String[] said = side.attempt(threads, prefix, segments, repeats);
            if (said != null) {
                answer(said);
                if (side.stuck()) {
                    Runtime.getRuntime().halt(0);
                }
                return;
            }
        }
        answer("fine");
    }

    private static int[] numbers(String word) {
        if (word.isEmpty()) {
            return new int[0];
        }
        String[] parts = word.split(",");
        int[] found = new int[parts.length];
        for (int at = 0; at < parts.length; at++) {
            found[at] = Integer.parseInt(parts[at]);
        }
        return found;
    }

    /** Writes a line at once: whatever the subject has written before it, and however it has. */
    private void answer(String... fields) throws IOException {
        String line = "\n" + token + "\t" + Fields.join(fields) + "\n";
        out.write(line.getBytes(StandardCharsets.UTF_8));
    }
}
