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
import org.objectweb.asm.ClassReader;

/**
 * Lists the methods of jars and class folders, one JSON object a line, without loading a class.
 * Arguments: the file to write, then jars and folders.
 */
public final class ClassLister {
    private static final String END = ".class";
    private static final String VERSIONS = "META-INF/versions/";

    private final PrintWriter out;

    private ClassLister(PrintWriter out) {
        this.out = out;
    }

    /** Writes the list; a class that cannot be read is a line of its own. */
    public static void main(String[] arguments) throws IOException {
        try (PrintWriter out =
                new PrintWriter(Files.newBufferedWriter(Paths.get(arguments[0])))) {
            ClassLister lister = new ClassLister(out);
            for (String part : Arrays.asList(arguments).subList(1, arguments.length)) {
                lister.list(new File(part));
            }
        }
    }

    private void list(File part) {
        try {
            if (part.isDirectory()) {
                listFolder(part.toPath());
            } else {
                listArchive(part);
            }
        } catch (IOException error) {
            unreadable(part, part.getPath(), error);
        }
    }

    private void listFolder(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.walk(folder)) {
            files = found.filter(file -> wanted(name(folder, file))).sorted()
                    .collect(Collectors.toList());
        }
        for (Path file : files) {
            listClass(folder.toFile(), name(folder, file), Files.readAllBytes(file));
        }
    }

    private static String name(Path folder, Path file) {
        return folder.relativize(file).toString().replace(File.separatorChar, '/');
    }

    private void listArchive(File archive) throws IOException {
        try (ZipFile zip = new ZipFile(archive)) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = entry.getName();
                if (isAddition(zip, name)) {
                    listAddition(archive, name.substring(name.indexOf('/', VERSIONS.length()) + 1));
                } else if (wanted(name)) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        listClass(archive, name, in.readAllBytes());
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

    private void listAddition(File part, String path) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("kind", "class");
        line.put("part", part.getPath());
        line.put("owner", path.substring(0, path.length() - END.length()));
        out.println(Json.of(line));
    }

    private void listClass(File part, String path, byte[] code) {
        try {
            ClassFacts facts = new ClassFacts(part.getPath());
            new ClassReader(code).accept(facts, ClassReader.SKIP_FRAMES);
            for (Map<String, Object> line : facts.lines()) {
                out.println(Json.of(line));
            }
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
        out.println(Json.of(line));
    }
}
