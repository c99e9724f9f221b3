package benchaudit.weaver;

import benchaudit.weaver.Instructions.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Puts calls of the guest into the methods asked for, and marks set-up code. */
final class ClassWeaver extends ClassVisitor {
    static final String SETUP = "Lorg/openjdk/jmh/annotations/Setup;";
    static final String TEAR_DOWN = "Lorg/openjdk/jmh/annotations/TearDown;";
    /** What JMH's generated code calls to make a state object and run its set-up. */
    static final String STATE_MAKER = "_jmh_tryInit_";

    final List<Target> done = new ArrayList<>();
    private final Map<String, Target> targets;
    private final Instructions asked;
    private String name;
    private String parent;
    private int version;

    ClassWeaver(ClassVisitor next, Map<String, Target> targets, Instructions asked) {
        super(Opcodes.ASM9, next);
        this.targets = targets;
        this.asked = asked;
    }

    @Override
    public void visit(
            int version, int access, String name, String signature, String parent, String[] above) {
        this.version = version & 0xFFFF;
        this.name = name;
        this.parent = parent;
        super.visit(version, access, name, signature, parent, above);
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] thrown) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) {
            return next;
        }
        boolean constructor = name.equals("<init>");
        boolean setsUp =
                name.startsWith(STATE_MAKER) || asked.counting && name.equals("<clinit>");
        next = new SetUpMark(new MethodWeaver(next, "Fixture", -1, frame(constructor)), setsUp);
        Target target = targets.get(name + descriptor);
        if (target == null) {
            return next;
        }
        done.add(target);
        return target.counted
                ? new MethodWeaver(next, "Counter", target.index, frame(constructor)).active()
                : new MethodWeaver(next, "Delay", -1, frame(constructor)).active();
    }

    private MethodWeaver.Shape frame(boolean constructor) {
        return new MethodWeaver.Shape(
                constructor ? name : null, parent, version >= Opcodes.V1_6);
    }

    /** Switches the weaver behind it on where the method is annotated as set-up. */
    private static final class SetUpMark extends MethodVisitor {
        private final MethodWeaver weaver;

        SetUpMark(MethodWeaver weaver, boolean active) {
            super(Opcodes.ASM9, weaver);
            this.weaver = active ? weaver.active() : weaver;
        }

        @Override
        public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
            if (descriptor.equals(SETUP) || descriptor.equals(TEAR_DOWN)) {
                weaver.active();
            }
            return super.visitAnnotation(descriptor, visible);
        }
    }
}
