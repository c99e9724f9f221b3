package benchaudit.weaver;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts {@code begin()} at the entry of a method and {@code end()} at every way out: each return,
 * and a handler round the body that throws on. Neither leaves anything on the stack or in a local
 * variable, so the method's own frames stay as they are, and a short method grows by about ten
 * bytes only: more would push it over a limit of the JIT compiler's inlining. The delay is shown
 * the number that is returned: else the compiler may compute it after the clock was read.
 *
 * <p>A constructor begins after its call of {@code this(…)} or {@code super(…)}: a handler must not
 * cover code in which the object is not initialised.
 */
final class MethodWeaver extends MethodVisitor {
    /** What the weaving depends on. */
    static final class Shape {
        private final String constructed;
        private final String parent;
        private final boolean frames;

        /** {@code constructed} is the class whose constructor it is, else null. */
        Shape(String constructed, String parent, boolean frames) {
            this.constructed = constructed;
            this.parent = parent;
            this.frames = frames;
        }
    }

    /** What was thrown, and the number of a counter. */
    private static final int HANDLER_STACK = 2;
    /** A copy of what is returned, or the number of a counter. */
    private static final int EXIT_STACK = 2;

    private final String guest;
    private final int index;
    private final Shape shape;
    private final Label start = new Label();
    private boolean active;
    private boolean begun;
    private int unfinished;

    MethodWeaver(MethodVisitor next, String guest, int index, Shape shape) {
        super(Opcodes.ASM9, next);
        this.guest = "benchaudit/boot/" + guest;
        this.index = index;
        this.shape = shape;
    }

    MethodWeaver active() {
        active = true;
        return this;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (active && shape.constructed == null) {
            begin();
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        if (opcode == Opcodes.NEW) {
            unfinished++;
        }
        super.visitTypeInsn(opcode, type);
    }

    @Override
    public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean isInterface) {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (opcode != Opcodes.INVOKESPECIAL || !name.equals("<init>")) {
            return;
        }
        if (unfinished > 0) {
            unfinished--;
        } else if (active && !begun && ownOrParent(owner)) {
            begin();
        }
    }

    private boolean ownOrParent(String owner) {
        return owner.equals(shape.constructed) || owner.equals(shape.parent);
    }

    private void begin() {
        begun = true;
        call("begin");
        super.visitLabel(start);
    }

    @Override
    public void visitInsn(int opcode) {
        if (begun && opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
            leave(opcode);
        }
        super.visitInsn(opcode);
    }

    private void leave(int opcode) {
        if (index >= 0) {
            call("end");
        } else if (opcode == Opcodes.IRETURN) {
            show("(J)V", Opcodes.DUP, Opcodes.I2L);
        } else if (opcode == Opcodes.LRETURN) {
            show("(J)V", Opcodes.DUP2);
        } else if (opcode == Opcodes.FRETURN) {
            show("(D)V", Opcodes.DUP, Opcodes.F2D);
        } else if (opcode == Opcodes.DRETURN) {
            show("(D)V", Opcodes.DUP2);
        } else {
            call("end");
        }
    }

    private void show(String descriptor, int... copy) {
        for (int opcode : copy) {
            super.visitInsn(opcode);
        }
        super.visitMethodInsn(Opcodes.INVOKESTATIC, guest, "end", descriptor, false);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        if (active && !begun) {
            throw new IllegalStateException("no call of this(…) or super(…) found");
        }
        if (begun) {
            Label handler = new Label();
            super.visitTryCatchBlock(start, handler, handler, null);
            super.visitLabel(handler);
            if (shape.frames) {
                Object[] thrown = {"java/lang/Throwable"};
                super.visitFrame(Opcodes.F_FULL, 0, new Object[0], 1, thrown);
            }
            call("end");
            super.visitInsn(Opcodes.ATHROW);
        }
        super.visitMaxs(begun ? Math.max(maxStack + EXIT_STACK, HANDLER_STACK) : maxStack, maxLocals);
    }

    private void call(String what) {
        if (index < 0) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, guest, what, "()V", false);
            return;
        }
        Numbers.push(mv, index);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, guest, what, "(I)V", false);
    }
}
