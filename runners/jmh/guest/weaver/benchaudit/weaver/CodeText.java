package benchaudit.weaver;

import benchaudit.boot.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The code of a method as text, its operands written out, its labels numbered as they come; and
 * what it refers to. The numbers in the names of lambdas and of bridges into other classes are no
 * part of it, since an unrelated lambda shifts them; what these do is told apart ("generated").
 */
class CodeText extends MethodVisitor {
    private static final Pattern GENERATED = Pattern.compile("(lambda|access)\\$(.*\\$)?\\d+");

    private final StringBuilder text = new StringBuilder();
    /** The text of the statement so far, without the numbers of local variables. */
    private final StringBuilder value = new StringBuilder();
    private final Map<Label, Integer> labels = new HashMap<>();
    private final Set<List<Object>> calls = new LinkedHashSet<>();
    private final List<List<Object>> generated = new ArrayList<>();
    private final Set<List<Object>> reads = new LinkedHashSet<>();
    private final Set<List<Object>> writes = new LinkedHashSet<>();
    private final Map<String, Set<String>> values = new LinkedHashMap<>();
    private final String owner;
    /** Objects that were made and not yet constructed. */
    private int unfinished;

    CodeText(String owner, String descriptor) {
        super(Opcodes.ASM9);
        this.owner = owner;
        text.append(descriptor).append('\n');
    }

    /** Puts what was found into a line. */
    void tell(Map<String, Object> method) {
        method.put("digest", digest(text.toString()));
        method.put("calls", calls);
        method.put("generated", generated);
        method.put("reads", reads);
        method.put("writes", writes);
    }

    /** Returns digests of what makes the values that the class's fields get, by their names. */
    Map<String, Set<String>> values() {
        return values;
    }

    private static String digest(String text) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
            StringBuilder hex = new StringBuilder();
            for (byte each : Arrays.copyOf(sum, 16)) {
                hex.append(String.format("%02x", each));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error); // every JVM has it
        }
    }

    private void add(Object... words) {
        String line = Json.of(words) + "\n";
        text.append(line);
        value.append(line);
    }

    private void endStatement() {
        value.setLength(0);
    }

    private int number(Label label) {
        return labels.computeIfAbsent(label, any -> labels.size());
    }

    private List<Object> numbers(Label... some) {
        List<Object> found = new ArrayList<>();
        for (Label label : some) {
            found.add(number(label));
        }
        return found;
    }

    /** Notes a call, and returns the words for it. */
    private Object[] called(String owner, String name, String descriptor, boolean virtual) {
        String type = ClassCode.named(owner);
        String key = ClassCode.key(name, descriptor);
        if (GENERATED.matcher(name).matches()) {
            generated.add(Arrays.asList(type, key));
            return new Object[] {owner, "generated", descriptor};
        }
        calls.add(Arrays.asList(type, key, virtual));
        return new Object[] {owner, name, descriptor};
    }

    private Object constant(Object value) {
        if (value instanceof Handle) {
            return handle((Handle) value);
        }
        if (value instanceof ConstantDynamic) {
            ConstantDynamic made = (ConstantDynamic) value;
            List<Object> words = new ArrayList<>();
            words.add(Arrays.asList(made.getName(), made.getDescriptor()));
            words.add(handle(made.getBootstrapMethod()));
            for (int at = 0; at < made.getBootstrapMethodArgumentCount(); at++) {
                words.add(constant(made.getBootstrapMethodArgument(at)));
            }
            return words;
        }
        return Arrays.asList(value.getClass().getSimpleName(), value.toString());
    }

    private Object handle(Handle handle) {
        int tag = handle.getTag();
        String owner = handle.getOwner();
        if (tag > Opcodes.H_PUTSTATIC) {
            boolean virtual = tag == Opcodes.H_INVOKEVIRTUAL || tag == Opcodes.H_INVOKEINTERFACE;
            return Arrays.asList(
                    tag, called(owner, handle.getName(), handle.getDesc(), virtual));
        }
        boolean read = tag == Opcodes.H_GETFIELD || tag == Opcodes.H_GETSTATIC;
        (read ? reads : writes).add(Arrays.asList(ClassCode.named(owner), handle.getName()));
        return Arrays.asList(tag, owner, handle.getName(), handle.getDesc());
    }

    @Override
    public void visitInsn(int code) {
        add(code);
        boolean ends = code >= Opcodes.IRETURN && code <= Opcodes.RETURN;
        if (ends || code == Opcodes.ATHROW || code == Opcodes.POP || code == Opcodes.POP2) {
            endStatement();
        }
    }

    @Override
    public void visitIntInsn(int code, int operand) {
        add(code, operand);
    }

    @Override
    public void visitVarInsn(int code, int variable) {
        text.append(Json.of(new Object[] {code, variable})).append('\n');
        value.append(code).append('\n');
        if (code >= Opcodes.ISTORE) {
            endStatement();
        }
    }

    @Override
    public void visitTypeInsn(int code, String type) {
        add(code, type);
        unfinished += code == Opcodes.NEW ? 1 : 0;
    }

    @Override
    public void visitFieldInsn(int code, String owner, String name, String descriptor) {
        add(code, owner, name, descriptor);
        boolean read = code == Opcodes.GETFIELD || code == Opcodes.GETSTATIC;
        (read ? reads : writes).add(Arrays.asList(ClassCode.named(owner), name));
        if (!read && owner.equals(this.owner)) {
            values.computeIfAbsent(name, any -> new TreeSet<>()).add(digest(value.toString()));
        }
        if (!read) {
            endStatement();
        }
    }

    @Override
    public void visitMethodInsn(
            int code, String owner, String name, String descriptor, boolean onInterface) {
        boolean virtual = code == Opcodes.INVOKEVIRTUAL || code == Opcodes.INVOKEINTERFACE;
        add(code, called(owner, name, descriptor, virtual));
        if (name.equals("<init>") && unfinished > 0) {
            unfinished--; // of an object that the statement goes on with
        } else if (descriptor.endsWith(")V")) {
            endStatement();
        }
    }

    @Override
    public void visitInvokeDynamicInsn(
            String name, String descriptor, Handle maker, Object... arguments) {
        List<Object> words = new ArrayList<>();
        for (Object argument : arguments) {
            words.add(constant(argument));
        }
        add(name, descriptor, handle(maker), words);
    }

    @Override
    public void visitJumpInsn(int code, Label label) {
        add(code, number(label));
        endStatement();
    }

    @Override
    public void visitLabel(Label label) {
        add("label", number(label));
        endStatement();
    }

    @Override
    public void visitLdcInsn(Object constant) {
        add("constant", constant(constant));
    }

    @Override
    public void visitIincInsn(int variable, int by) {
        add("increment", variable, by);
    }

    @Override
    public void visitTableSwitchInsn(int least, int most, Label other, Label... some) {
        add("table", least, most, number(other), numbers(some));
        endStatement();
    }

    @Override
    public void visitLookupSwitchInsn(Label other, int[] keys, Label[] some) {
        add("lookup", Arrays.toString(keys), number(other), numbers(some));
        endStatement();
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        add("arrays", descriptor, dimensions);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
        text.append(Json.of(Arrays.asList("catch", numbers(start, end, handler), type)));
    }
}
