package benchaudit.weaver;

import benchaudit.boot.Records;
import benchaudit.boot.Trace;
import benchaudit.weaver.Instructions.Target;
import java.lang.instrument.ClassFileTransformer;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Has calls of a library counted: at the entry of its methods, and for those without a body (of
 * interfaces, abstract and native ones) where code that is not the library's calls them.
 */
final class TraceWeaver implements ClassFileTransformer {
    private static final int FIELD_REFERENCE = 9;
    private static final int INTERFACE_REFERENCE = 11;
    /** So many methods of one name make a class that ends alike a copy of one of the library's. */
    private static final int ENOUGH = 3;
    private static final int MOST_COPIES = 3;

    private final Instructions instructions;
    private int copies;

    TraceWeaver(Instructions instructions) {
        this.instructions = instructions;
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] code) {
        if (loader == null || name == null || loader == TraceWeaver.class.getClassLoader()) {
            return null;
        }
        Map<String, Target> here = instructions.byOwner.getOrDefault(name, Collections.emptyMap());
        try {
            if (!here.isEmpty()) {
                return traced(here, domain, code);
            }
            if (instructions.library.containsKey(name) || Trace.isRunner(name.replace('/', '.'))) {
                return null;
            }
            return ofOthers(name, code);
        } catch (RuntimeException | LinkageError error) {
            Records.failed(name.replace('/', '.') + " cannot be changed: " + error);
            return null;
        }
    }

    private byte[] traced(Map<String, Target> here, ProtectionDomain domain, byte[] code) {
        CodeSource source = domain == null ? null : domain.getCodeSource();
        if (source != null && source.getLocation() != null) {
            Trace.own(source.getLocation());
        }
        ClassReader reader = new ClassReader(code);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new Entries(writer, here), 0);
        return writer.toByteArray();
    }

    /** Changes code that is not the library's where it calls what has no body. */
    private byte[] ofOthers(String name, byte[] code) {
        boolean alike = copies < MOST_COPIES
                && instructions.ending.containsKey(Instructions.end(name));
        if (!alike && instructions.declared.isEmpty()) {
            return null;
        }
        ClassReader reader = new ClassReader(code);
        if (alike) {
            compare(name, reader);
        }
        if (instructions.declared.isEmpty() || !refers(reader)) {
            return null;
        }
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new Sites(writer), 0);
        return writer.toByteArray();
    }

    /** A class of the library under another name (shaded, relocated) is not traced: says so. */
    private void compare(String name, ClassReader reader) {
        Set<String> has = new HashSet<>();
        reader.accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String name, String descriptor, String signature, String[] thrown) {
                has.add(name);
                return null;
            }
        }, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        for (String owner : instructions.ending.get(Instructions.end(name))) {
            Set<String> wanted = new HashSet<>();
            for (Target target : instructions.byOwner.get(owner).values()) {
                wanted.add(target.name());
            }
            wanted.remove("<init>");
            if (wanted.size() >= ENOUGH && has.containsAll(wanted)) {
                copies++;
                Records.append("missing\t" + Records.clean(name.replace('/', '.')
                        + " is a copy of the library's " + owner.replace('/', '.')
                        + " under another name, whose calls are not counted") + "\n");
                return;
            }
        }
    }

    /** Looks into the constant pool, to leave most classes unread. */
    private boolean refers(ClassReader reader) {
        char[] buffer = new char[reader.getMaxStringLength()];
        for (int at = 1; at < reader.getItemCount(); at++) {
            int item = reader.getItem(at);
            int tag = item == 0 ? 0 : reader.readByte(item - 1);
            if (tag > FIELD_REFERENCE && tag <= INTERFACE_REFERENCE
                    && instructions.library.containsKey(reader.readClass(item, buffer))) {
                return true;
            }
        }
        return false;
    }

    /** Puts counters into a class of the library. */
    private static final class Entries extends ClassVisitor {
        private final Map<String, Target> targets;
        private String name;
        private boolean frames;

        Entries(ClassVisitor next, Map<String, Target> targets) {
            super(Opcodes.ASM9, next);
            this.targets = targets;
        }

        @Override
        public void visit(
                int version, int access, String name, String signature, String parent,
                String[] above) {
            this.name = name;
            frames = (version & 0xFFFF) >= Opcodes.V1_6;
            super.visit(version, access, name, signature, parent, above);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
            if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) {
                return next;
            }
            if ((access & Opcodes.ACC_BRIDGE) != 0) {
                Trace.bridge(this.name.replace('/', '.'), name, descriptor);
            }
            Target traced = targets.get(name + descriptor);
            if (traced == null) {
                return next;
            }
            boolean bound = (access & Opcodes.ACC_STATIC) == 0;
            return new EntryWeaver(next, traced.index, descriptor, bound ? 1 : 0, frames);
        }
    }

    /** Puts counters in front of calls of methods without a body. */
    private final class Sites extends ClassVisitor {
        Sites(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
            boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
            return bridge ? next : new SiteWeaver(next, instructions);
        }
    }
}
