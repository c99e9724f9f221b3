package benchaudit.weaver;

import benchaudit.weaver.Instructions.Target;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Puts a call of ours in front of each call of a method of the library that has no body. */
final class SiteWeaver extends MethodVisitor {
    private final Instructions instructions;
    private boolean woven;

    SiteWeaver(MethodVisitor next, Instructions instructions) {
        super(Opcodes.ASM9, next);
        this.instructions = instructions;
    }

    @Override
    public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (opcode != Opcodes.INVOKESPECIAL && instructions.library.containsKey(owner)) {
            Target called = instructions.declares(owner, name + descriptor);
            if (called != null) {
                woven = true;
                Numbers.push(mv, called.index);
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC, "benchaudit/boot/Trace", "declared", "(I)V", false);
            }
        }
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        super.visitMaxs(woven ? maxStack + 1 : maxStack, maxLocals);
    }
}
