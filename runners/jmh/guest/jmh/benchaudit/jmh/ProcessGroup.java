package benchaudit.jmh;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Set;

/**
 * The processes of this JVM's group, by what Linux tells of them. The host ends the group once this
 * JVM has ended; until then what a fork has left in it takes time from the forks that follow.
 */
final class ProcessGroup {
    private static final Path PROCESSES = Paths.get("/proc");
    /** Fields behind the name of a program: the state, the parent, the group. */
    private static final int GROUP_FIELD = 2;

    private final Set<Path> members = findMembers();

    /** Tells whether there are processes that were not there at the start. */
    boolean hasGrown() {
        return !members.containsAll(findMembers());
    }

    private static Set<Path> findMembers() {
        Set<Path> found = new HashSet<>();
        String group = readGroup(PROCESSES.resolve("self"));
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path folder : folders) {
                if (!group.isEmpty() && group.equals(readGroup(folder))) {
                    found.add(folder);
                }
            }
        } catch (IOException elsewhere) {
            return found; // another system: the host tells what is left
        }
        return found;
    }

    /** Returns the number of a process's group; empty for one that has ended. */
    private static String readGroup(Path folder) {
        try {
            byte[] data = Files.readAllBytes(folder.resolve("stat"));
            String text = new String(data, StandardCharsets.ISO_8859_1);
            // The name of the program is in parentheses, and may have any.
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
            return fields[0].equals("Z") ? "" : fields[GROUP_FIELD];
        } catch (IOException gone) {
            return "";
        }
    }
}
