package benchaudit.weaver;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Instructions that push a number; the short ones keep methods below the JIT's limits. */
final class Numbers {
    private Numbers() {}

    static void push(MethodVisitor method, int number) {
        if (number <= Short.MAX_VALUE) {
            method.visitIntInsn(Opcodes.SIPUSH, number);
        } else {
            method.visitLdcInsn(number);
        }
    }
}
