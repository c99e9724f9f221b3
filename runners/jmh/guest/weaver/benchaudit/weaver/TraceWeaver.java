package benchaudit.weaver;

import benchaudit.boot.Callers;
import benchaudit.boot.Records;
import benchaudit.boot.Trace;
import benchaudit.weaver.Instructions.Target;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Has calls of a library counted: at the entry of its methods, and for those without a body (of
 * interfaces, abstract and native ones) where code that is not the library's calls them. Callers say
 * who they are, as long as their methods do not grow too long by it.
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
            if (!here.isEmpty() || Callers.isOfLibrary(name)) {
                return ofLibrary(here, code, Callers.isOfLibrary(name));
            }
            return Trace.isRunner(name.replace('/', '.')) ? null : ofOthers(name, code);
        } catch (RuntimeException | LinkageError error) {
            Records.failed(name.replace('/', '.') + " cannot be changed: " + error);
            return null;
        }
    }

    private byte[] ofLibrary(Map<String, Target> here, byte[] code, boolean inside) {
        ClassReader reader = new ClassReader(code);
        try {
            return changed(reader, writer -> new Entries(writer, here, inside));
        } catch (MethodTooLargeException error) {
            return changed(reader, writer -> new Entries(writer, here, false));
        }
    }

    private static byte[] changed(ClassReader reader, UnaryOperator<ClassVisitor> change) {
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(change.apply(writer), 0);
        return writer.toByteArray();
    }

    /** Changes code that is not the library's where it calls the library. */
    private byte[] ofOthers(String name, byte[] code) {
        ClassReader reader = new ClassReader(code);
        if (copies < MOST_COPIES && instructions.ending.containsKey(Instructions.end(name))) {
            compare(name, reader);
        }
        if (!refers(reader)) {
            return null;
        }
        try {
            return changed(reader, writer -> new Sites(writer, true));
        } catch (MethodTooLargeException error) {
            return changed(reader, writer -> new Sites(writer, false));
        }
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
                    && instructions.isOfLibrary(reader.readClass(item, buffer))) {
                return true;
            }
        }
        return false;
    }

    /** Puts counters into a class of the library. */
    private final class Entries extends ClassVisitor {
        private final Map<String, Target> targets;
        private final boolean inside;
        private String name;
        private boolean frames;

        /** {@code inside}: does code say that its calls are the library's own? */
        Entries(ClassVisitor next, Map<String, Target> targets, boolean inside) {
            super(Opcodes.ASM9, next);
            this.targets = targets;
            this.inside = inside;
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
            } else if (inside) {
                next = new CallerWeaver(next, instructions, true);
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
        private final boolean caller;

        /** {@code caller}: does code say, too, that its calls are not the library's own? */
        Sites(ClassVisitor next, boolean caller) {
            super(Opcodes.ASM9, next);
            this.caller = caller;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
            if ((access & Opcodes.ACC_BRIDGE) != 0) {
                return next;
            }
            next = caller ? new CallerWeaver(next, instructions, false) : next;
            return new SiteWeaver(next, instructions);
        }
    }
}
