package benchaudit.weaver;

import benchaudit.boot.Json;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Goes through the classes of jars and class folders, and writes what is said of each as JSON, one
 * object a line; a class or jar that cannot be read is a line of kind "unreadable".
 */
final class ClassWalk {
    /** What is said of a class. */
    interface Teller {
        /** Returns the lines of a class; whoever throws a RuntimeException could not read it. */
        List<Map<String, Object>> lines(String part, byte[] code);

        /** Returns the lines of a class that is there for some JVMs only; it is not read. */
        List<Map<String, Object>> addition(String part, String owner);
    }

    private static final String END = ".class";
    private static final String VERSIONS = "META-INF/versions/";

    private final PrintWriter out;
    private final Teller teller;

    private ClassWalk(PrintWriter out, Teller teller) {
        this.out = out;
        this.teller = teller;
    }

    /** Writes the lines; arguments: the file to write, then jars and folders. */
    static void write(String[] arguments, Teller teller) throws IOException {
        try (PrintWriter out =
                new PrintWriter(Files.newBufferedWriter(Paths.get(arguments[0])))) {
            ClassWalk walk = new ClassWalk(out, teller);
            for (String part : Arrays.asList(arguments).subList(1, arguments.length)) {
                walk.walk(new File(part));
            }
        }
    }

    private void walk(File part) {
        try {
            if (part.isDirectory()) {
                walkFolder(part.toPath());
            } else {
                walkArchive(part);
            }
        } catch (IOException error) {
            unreadable(part, part.getPath(), error);
        }
    }

    private void walkFolder(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.walk(folder)) {
            files = found.filter(file -> wanted(name(folder, file))).sorted()
                    .collect(Collectors.toList());
        }
        for (Path file : files) {
            tell(folder.toFile(), name(folder, file), Files.readAllBytes(file));
        }
    }

    private static String name(Path folder, Path file) {
        return folder.relativize(file).toString().replace(File.separatorChar, '/');
    }

    private void walkArchive(File archive) throws IOException {
        try (ZipFile zip = new ZipFile(archive)) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = entry.getName();
                if (isAddition(zip, name)) {
                    String path = name.substring(name.indexOf('/', VERSIONS.length()) + 1);
                    String owner = path.substring(0, path.length() - END.length());
                    print(teller.addition(archive.getPath(), owner));
                } else if (wanted(name)) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        tell(archive, name, in.readAllBytes());
                    } catch (IOException error) {
                        unreadable(archive, name, error);
                    }
                }
            }
        }
    }

    /** Other versions of a class for other JVMs have the same methods as far as users see. */
    private static boolean wanted(String path) {
        return path.endsWith(END) && !path.startsWith("META-INF/");
    }

    /** Tells whether a class is there for some JVMs only: it belongs to the library, too. */
    private static boolean isAddition(ZipFile zip, String path) {
        int number = path.indexOf('/', VERSIONS.length());
        return path.startsWith(VERSIONS) && path.endsWith(END) && number > 0
                && zip.getEntry(path.substring(number + 1)) == null;
    }

    private void tell(File part, String path, byte[] code) {
        try {
            print(teller.lines(part.getPath(), code));
        } catch (RuntimeException error) {
            unreadable(part, path, error);
        }
    }

    private void unreadable(File part, String path, Exception error) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("kind", "unreadable");
        line.put("part", part.getPath());
        line.put("path", path);
        line.put("reason", error.toString());
        print(Collections.singletonList(line));
    }

    private void print(List<Map<String, Object>> lines) {
        for (Map<String, Object> line : lines) {
            out.println(Json.of(line));
        }
    }
}
