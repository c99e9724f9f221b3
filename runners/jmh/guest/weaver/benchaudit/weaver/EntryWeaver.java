package benchaudit.weaver;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Puts a call at the entry of a method, of a constructor too: it touches neither the object, which
 * is not initialised yet, nor a local variable. Some calls are asked for their arguments:
 *
 * <pre>
 * if (Trace.called(INDEX)) Trace.arguments(INDEX, new Object[] {argument, …});
 * </pre>
 */
final class EntryWeaver extends MethodVisitor {
    private static final String TRACE = "benchaudit/boot/Trace";
    private static final String OBJECT = "java/lang/Object";
    /** The index, the array twice, the place in it, and a value of two words. */
    private static final int STACK = 6;

    private final int index;
    private final Type[] types;
    private final int first;
    private final boolean frames;

    /** {@code first} is the local variable of the first argument; {@code frames}: has it any? */
    EntryWeaver(MethodVisitor next, int index, String descriptor, int first, boolean frames) {
        super(Opcodes.ASM9, next);
        this.index = index;
        this.types = Type.getArgumentTypes(descriptor);
        this.first = first;
        this.frames = frames;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        Numbers.push(mv, index);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, TRACE, "called", "(I)Z", false);
        if (types.length == 0) {
            super.visitInsn(Opcodes.POP);
            return;
        }
        Label done = new Label();
        super.visitJumpInsn(Opcodes.IFEQ, done);
        Numbers.push(mv, index);
        array();
        super.visitMethodInsn(
                Opcodes.INVOKESTATIC, TRACE, "arguments", "(I[L" + OBJECT + ";)V", false);
        super.visitLabel(done);
        if (frames) {
            super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        }
        // The method's own first instruction may have a frame; no place can have two.
        super.visitInsn(Opcodes.NOP);
    }

    private void array() {
        Numbers.push(mv, types.length);
        super.visitTypeInsn(Opcodes.ANEWARRAY, OBJECT);
        int variable = first;
        for (int at = 0; at < types.length; at++) {
            super.visitInsn(Opcodes.DUP);
            Numbers.push(mv, at);
            super.visitVarInsn(types[at].getOpcode(Opcodes.ILOAD), variable);
            box(types[at]);
            super.visitInsn(Opcodes.AASTORE);
            variable += types[at].getSize();
        }
    }

    private void box(Type type) {
        String[] boxes = {
            "", "Boolean", "Character", "Byte", "Short", "Integer", "Float", "Long", "Double",
        };
        if (type.getSort() < boxes.length) {
            String box = "java/lang/" + boxes[type.getSort()];
            super.visitMethodInsn(Opcodes.INVOKESTATIC, box, "valueOf",
                    "(" + type.getDescriptor() + ")L" + box + ";", false);
        }
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        super.visitMaxs(Math.max(maxStack, types.length == 0 ? 1 : STACK), maxLocals);
    }
}
