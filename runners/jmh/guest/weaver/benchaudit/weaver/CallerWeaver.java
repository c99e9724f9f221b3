package benchaudit.weaver;

import benchaudit.boot.Trace;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Says around each call whose name and types some traced method has, which of them it means and
 * whether code of the library calls it: then nobody has to look for the caller.
 *
 * <pre>
 * Trace.calling(NUMBER); owner.method(…); Trace.back();
 * </pre>
 *
 * <p>A call may end in an exception before it begins (of null, say), so handlers begin with
 * {@code Trace.back()}, too. They have frames since Java 7; older classes are left as they are.
 */
final class CallerWeaver extends MethodVisitor {
    private static final String TRACE = "benchaudit/boot/Trace";

    private final Instructions instructions;
    private final boolean inside;
    private final Set<Label> handlers = new HashSet<>();
    private boolean handles;
    private boolean woven;

    CallerWeaver(MethodVisitor next, Instructions instructions, boolean inside) {
        super(Opcodes.ASM9, next);
        this.instructions = instructions;
        this.inside = inside;
    }

    @Override
    public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean isInterface) {
        Integer meant = instructions.named.get(name + descriptor);
        if (meant == null) {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            return;
        }
        woven = true;
        Numbers.push(mv, Trace.number(meant, inside));
        super.visitMethodInsn(Opcodes.INVOKESTATIC, TRACE, "calling", "(I)V", false);
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        back();
    }

    private void back() {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, TRACE, "back", "()V", false);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
        handlers.add(handler);
        super.visitTryCatchBlock(start, end, handler, type);
    }

    @Override
    public void visitLabel(Label label) {
        handles = handlers.contains(label);
        super.visitLabel(label);
    }

    @Override
    public void visitFrame(int type, int locals, Object[] local, int stacked, Object[] stack) {
        super.visitFrame(type, locals, local, stacked, stack);
        if (handles) {
            handles = false;
            back();
        }
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        super.visitMaxs(woven ? maxStack + 1 : maxStack, maxLocals);
    }
}
