package benchaudit.maker;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/** What the public classes in the jars of both versions give: subclasses, and factories. */
final class Jars {
    private static final String END = ".class";

    private final Side[] sides;

    Jars(Side[] sides) {
        this.sides = sides;
    }

    /** Returns "subtype TYPE SUBTYPE" for the classes below a type that objects can be made of. */
    List<List<String>> subtypes(List<String> wanted) {
        return inBoth((type, found) -> {
            if (!makes(type)) {
                return;
            }
            Set<String> above = Types.supertypes(type);
            for (String one : wanted) {
                if (above.contains(one) && !one.equals(type.getName())) {
                    found.add(Arrays.asList("subtype", one, type.getName()));
                }
            }
        });
    }

    /** Returns "factory KIND OWNER NAME PARAMETERS RETURNS" for what other classes make of a type. */
    List<List<String>> factories(List<String> wanted) {
        return inBoth((type, found) -> {
            if (!Types.accessible(type)) {
                return;
            }
            for (Method each : type.getDeclaredMethods()) {
                String returns = Names.of(each.getReturnType());
                boolean shared = Modifier.isStatic(each.getModifiers());
                // What only a value of the type itself gives is no way to the first one.
                boolean own = shared ? returns.equals(type.getName())
                        : each.getReturnType().isAssignableFrom(type);
                if (Modifier.isPublic(each.getModifiers()) && !each.isSynthetic() && !own
                        && wanted.contains(returns)
                        && Types.accessible(each.getParameterTypes())) {
                    found.add(Arrays.asList("factory", shared ? "static" : "factory",
                            type.getName(), each.getName(), Names.of(each.getParameterTypes()),
                            returns));
                }
            }
        });
    }

    private List<List<String>> inBoth(BiConsumer<Class<?>, Set<List<String>>> look) {
        Set<List<String>> both = null;
        for (Side side : sides) {
            Set<List<String>> found = new LinkedHashSet<>();
            for (String name : names(side.path)) {
                Class<?> type = loaded(name, side.loader);
                if (type == null) {
                    continue;
                }
                try {
                    look.accept(type, found);
                } catch (RuntimeException | Error error) {
                    continue; // what its own members need is not on the class path
                }
            }
            if (both == null) {
                both = found;
            } else {
                both.retainAll(found);
            }
        }
        return new ArrayList<>(both);
    }

    private static boolean makes(Class<?> type) {
        return Types.accessible(type) && !Modifier.isAbstract(type.getModifiers())
                && Stream.of(type.getConstructors(), type.getMethods(), type.getFields())
                        .flatMap(Arrays::stream).anyMatch(each -> makes((Member) each, type));
    }

    private static boolean makes(Member member, Class<?> type) {
        boolean shared = Modifier.isStatic(member.getModifiers());
        return (member instanceof Constructor && !Types.inner(type))
                || (shared && member instanceof Method && ((Method) member).getReturnType() == type)
                || (shared && member instanceof Field && ((Field) member).getType() == type);
    }

    private static Class<?> loaded(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError error) {
            return null;
        }
    }

    private static List<String> names(List<File> path) {
        List<String> found = new ArrayList<>();
        for (File part : path) {
            try {
                (part.isDirectory() ? inFolder(part.toPath()) : inArchive(part)).stream()
                        .filter(each -> each.endsWith(END) && !each.contains("-"))
                        .map(each -> each.substring(0, each.length() - END.length()))
                        .map(each -> each.replace('/', '.')).sorted().forEach(found::add);
            } catch (IOException error) {
                continue;
            }
        }
        return found;
    }

    private static List<String> inFolder(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(each -> folder.relativize(each).toString())
                    .map(each -> each.replace(File.separatorChar, '/'))
                    .collect(Collectors.toList());
        }
    }

    private static List<String> inArchive(File archive) throws IOException {
        try (ZipFile zip = new ZipFile(archive)) {
            return Collections.list(zip.entries()).stream().map(each -> each.getName())
                    .collect(Collectors.toList());
        }
    }
}
