package benchaudit.maker;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * A statement of one version: KIND OWNER NAME PARAMETERS RETURNS RECEIVER ARGUMENT..., where a
 * value is P and a number (of the prefix), S and a number (of the same suffix), ! and a type
 * (null), or =TYPE:TEXT.
 */
final class Statement {
    private interface Action {
        Object run(Object receiver, Object[] arguments) throws Throwable;
    }

    private static final class Value {
        char from;
        int index;
        Object literal;

        Object of(Object[] prefix, Object[] suffix) {
            return from == 'P' ? prefix[index] : from == 'S' ? suffix[index] : literal;
        }
    }

    private final Action action;
    private final Value receiver;
    private final List<Value> arguments = new ArrayList<>();

    Statement(List<String> fields, ClassLoader loader) throws ReflectiveOperationException {
        Class<?> owner = Names.find(fields.get(1), loader);
        Class<?>[] parameters = Names.findAll(fields.get(3), loader);
        action = action(fields.get(0), owner, fields.get(2), parameters);
        receiver = fields.get(5).isEmpty() ? null : value(fields.get(5), loader);
        for (String field : fields.subList(6, fields.size())) {
            arguments.add(value(field, loader));
        }
    }

    /** Runs it; what the subject raises is raised as it is. */
    Object run(Object[] prefix, Object[] suffix) throws Throwable {
        Object[] given = new Object[arguments.size()];
        for (int at = 0; at < given.length; at++) {
            given[at] = arguments.get(at).of(prefix, suffix);
        }
        try {
            return action.run(receiver == null ? null : receiver.of(prefix, suffix), given);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private static Action action(String kind, Class<?> owner, String name, Class<?>[] parameters)
            throws ReflectiveOperationException {
        switch (kind) {
            case "constructor":
                Constructor<?> constructor = open(owner.getConstructor(parameters));
                return (on, given) -> constructor.newInstance(given);
            case "method":
            case "factory":
            case "static":
                Method method = open(owner.getMethod(name, parameters));
                return (on, given) -> method.invoke(on, given);
            case "get":
            case "constant":
                Field read = open(owner.getField(name));
                return (on, given) -> read.get(on);
            case "set":
                Field written = open(owner.getField(name));
                return (on, given) -> {
                    written.set(on, given[0]);
                    return null;
                };
            case "array":
                return (on, given) -> {
                    Object made = Array.newInstance(owner, given.length);
                    for (int at = 0; at < given.length; at++) {
                        Array.set(made, at, given[at]);
                    }
                    return made;
                };
            case "plain":
                return (on, given) -> Plain.of(owner, name.equals("true"));
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    /** A public method may be one that a class inherits from one that is not public. */
    private static <T extends AccessibleObject> T open(T member) {
        try {
            member.setAccessible(true);
        } catch (RuntimeException error) {
            return member;
        }
        return member;
    }

    private static Value value(String field, ClassLoader loader) throws ClassNotFoundException {
        Value value = new Value();
        value.from = field.charAt(0);
        if (value.from == 'P' || value.from == 'S') {
            value.index = Integer.parseInt(field.substring(1));
        } else if (value.from == '=') {
            int colon = field.indexOf(':');
            value.literal = literal(field.substring(1, colon), field.substring(colon + 1), loader);
        }
        return value;
    }

    private static Object literal(String type, String text, ClassLoader loader)
            throws ClassNotFoundException {
        switch (type) {
            case "boolean":
                return Boolean.valueOf(text);
            case "byte":
                return Byte.valueOf(text);
            case "char":
                return text.charAt(0);
            case "short":
                return Short.valueOf(text);
            case "int":
                return Integer.valueOf(text);
            case "long":
                return Long.valueOf(text);
            case "float":
                return Float.valueOf(text);
            case "double":
                return Double.valueOf(text);
            case "java.lang.Class":
                return Names.find(text, loader);
            default:
                return text;
        }
    }
}
