package benchaudit.weaver;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts a call at the entry of a method, of a constructor too: it touches neither the object, which
 * is not initialised yet, nor a local variable.
 */
final class EntryWeaver extends MethodVisitor {
    private final int index;

    EntryWeaver(MethodVisitor next, int index) {
        super(Opcodes.ASM9, next);
        this.index = index;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (index <= Short.MAX_VALUE) {
            super.visitIntInsn(Opcodes.SIPUSH, index);
        } else {
            super.visitLdcInsn(index);
        }
        super.visitMethodInsn(
                Opcodes.INVOKESTATIC, "benchaudit/boot/Trace", "called", "(I)V", false);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        super.visitMaxs(Math.max(maxStack, 1), maxLocals);
    }
}
