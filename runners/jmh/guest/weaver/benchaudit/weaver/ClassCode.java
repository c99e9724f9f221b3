package benchaudit.weaver;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Says what the methods of jars and class folders do, as far as two versions can be compared by it,
 * one JSON object for each class. Arguments: the file to write, then jars and folders.
 *
 * <p>Names and types are binary names ({@code java.util.Map$Entry}, {@code int[]}).
 */
public final class ClassCode implements ClassWalk.Teller {
    private ClassCode() {}

    /** Writes the list; a class that cannot be read is a line of kind "unreadable". */
    public static void main(String[] arguments) throws IOException {
        ClassWalk.write(arguments, new ClassCode());
    }

    @Override
    public List<Map<String, Object>> lines(String part, byte[] code) {
        Told told = new Told();
        new ClassReader(code).accept(told, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return told.lines();
    }

    /** What only newer JVMs have is not called by the classes that are compared. */
    @Override
    public List<Map<String, Object>> addition(String part, String owner) {
        return Collections.emptyList();
    }

    static String named(String internal) {
        return Type.getObjectType(internal).getClassName();
    }

    static String key(String name, String descriptor) {
        return Stream.of(Type.getArgumentTypes(descriptor)).map(Type::getClassName)
                .collect(Collectors.joining(",", name + "(", ")"));
    }

    private static final class Told extends ClassVisitor {
        private final Map<String, Object> type = new LinkedHashMap<>();
        private final Map<String, Map<String, Object>> fields = new LinkedHashMap<>();
        private final List<Map<String, Object>> methods = new ArrayList<>();
        private final Map<String, Set<String>> values = new LinkedHashMap<>();
        private String owner;
        private boolean module;

        Told() {
            super(Opcodes.ASM9);
        }

        List<Map<String, Object>> lines() {
            fields.forEach((name, field) ->
                    field.put("values", values.getOrDefault(name, Collections.emptySet())));
            type.put("fields", fields.values());
            type.put("methods", methods);
            return module ? Collections.emptyList() : Collections.singletonList(type);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent,
                String[] above) {
            owner = name;
            module = (access & Opcodes.ACC_MODULE) != 0;
            type.put("kind", "class");
            type.put("owner", named(name));
            type.put("superclass", parent == null ? null : named(parent));
            type.put("interfaces",
                    Arrays.stream(above).map(ClassCode::named).collect(Collectors.toList()));
            type.put("flags", words(access, Modifier.classModifiers() | Modifier.INTERFACE));
        }

        @Override
        public FieldVisitor visitField(int access, String name, String descriptor,
                String signature, Object value) {
            Map<String, Object> field = new LinkedHashMap<>();
            field.put("name", name);
            field.put("type", Type.getType(descriptor).getClassName());
            field.put("flags", words(access, Modifier.fieldModifiers()));
            fields.put(name, field);
            return null;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor,
                String signature, String[] thrown) {
            Map<String, Object> method = new LinkedHashMap<>();
            method.put("key", key(name, descriptor));
            method.put("flags", words(access, Modifier.methodModifiers()));
            method.put("bridge", (access & Opcodes.ACC_BRIDGE) != 0);
            methods.add(method);
            return new CodeText(owner, descriptor) {
                @Override
                public void visitEnd() {
                    tell(method);
                    if (name.startsWith("<")) {
                        values().forEach((field, some) ->
                                values.computeIfAbsent(field, any -> new TreeSet<>()).addAll(some));
                    }
                }
            };
        }

        /** Bits that are no words of the language, such as those of bridges, are left out. */
        private static List<String> words(int access, int known) {
            String words = Modifier.toString(access & known);
            return words.isEmpty() ? Collections.emptyList() : Arrays.asList(words.split(" "));
        }
    }
}
