package benchaudit.weaver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.ModuleVisitor;
import org.objectweb.asm.Opcodes;

/** What a class file says of its methods; a module's says what it exports. */
final class ClassFacts extends ClassVisitor {
    private final Map<String, Object> type = new LinkedHashMap<>();
    private final List<Map<String, Object>> methods = new ArrayList<>();
    /** The type and those around it, inside out: name, simple name (null: has none), access. */
    private final List<List<Object>> inner = new ArrayList<>();
    private final Map<String, Object[]> nests = new LinkedHashMap<>();
    private final List<String> exported = new ArrayList<>();
    private String name;
    private boolean module;

    ClassFacts(String part) {
        super(Opcodes.ASM9);
        type.put("part", part);
    }

    List<Map<String, Object>> lines() {
        if (module) {
            Map<String, Object> line = new LinkedHashMap<>(type);
            line.put("kind", "module");
            line.put("exports", exported);
            return Collections.singletonList(line);
        }
        for (String at = name; nests.containsKey(at); ) {
            Object[] nest = nests.get(at);
            inner.add(Arrays.asList(at, nest[0], nest[1], nest[2]));
            at = (String) nest[0];
        }
        if (methods.isEmpty()) {
            type.put("kind", "class");
            type.put("nests", inner);
            return Collections.singletonList(type);
        }
        for (Map<String, Object> method : methods) {
            method.put("nests", inner);
        }
        return methods;
    }

    @Override
    public void visit(
            int version, int access, String name, String signature, String parent, String[] above) {
        this.name = name;
        type.put("owner", name);
        type.put("owner_access", access);
        List<String> all = new ArrayList<>(Arrays.asList(above));
        if (parent != null) {
            all.add(0, parent);
        }
        type.put("above", all);
    }

    @Override
    public void visitSource(String source, String debug) {
        type.put("source", source);
    }

    @Override
    public void visitInnerClass(String name, String outer, String simple, int access) {
        nests.put(name, new Object[] {outer, simple, access});
    }

    @Override
    public ModuleVisitor visitModule(String name, int access, String version) {
        module = true;
        return new ModuleVisitor(Opcodes.ASM9) {
            @Override
            public void visitExport(String packaze, int access, String... modules) {
                if (modules == null || modules.length == 0) {
                    exported.add(packaze);
                }
            }
        };
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] thrown) {
        if ((access & Opcodes.ACC_SYNTHETIC) == 0) {
            Map<String, Object> method = new LinkedHashMap<>(type);
            method.put("kind", "method");
            method.put("name", name);
            method.put("descriptor", descriptor);
            method.put("signature", signature);
            method.put("access", access);
            methods.add(method);
        }
        return null;
    }
}
