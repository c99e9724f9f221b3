package benchaudit.maker;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What both versions have of a type. Lines: "type NAME WRITTEN FLAGS SUPERTYPES" (the name in
 * source text; flags: public interface abstract plain inner), then "member KIND OWNER NAME PARAMETERS
 * RETURNS", and for an interface "answers NAME PARAMETERS RETURNS" for each method without a body.
 */
final class Types {
    private final Side[] sides;

    Types(Side[] sides) {
        this.sides = sides;
    }

    /** Returns the lines of a type; "missing NAME VERSION WHY" where a version does not have it. */
    List<List<String>> describe(String name) {
        Set<List<String>> both = null;
        for (Side side : sides) {
            Set<List<String>> lines = new LinkedHashSet<>();
            try {
                add(Names.find(name, side.loader), lines);
            } catch (ClassNotFoundException | RuntimeException | Error error) {
                return Collections.singletonList(
                        Arrays.asList("missing", name, side.name, String.valueOf(error)));
            }
            if (both == null) {
                both = lines;
            } else {
                return common(both, lines);
            }
        }
        throw new IllegalStateException();
    }

    /**
     * Returns what is in both, but for the type itself, of which the new version counts, and what an
     * implementation has to answer: that is what either asks for.
     */
    private static List<List<String>> common(Set<List<String>> old, Set<List<String>> now) {
        List<List<String>> found = new ArrayList<>();
        found.add(now.iterator().next());
        old.stream().filter(each -> each.get(0).equals("answers")
                || (each.get(0).equals("member") && now.contains(each))).forEach(found::add);
        now.stream().filter(each -> each.get(0).equals("answers") && !old.contains(each))
                .forEach(found::add);
        return found;
    }

    private static void add(Class<?> type, Set<List<String>> lines) {
        String written = type.getCanonicalName();
        lines.add(Arrays.asList("type", Names.of(type), written == null ? "" : written,
                flags(type), String.join(",", supertypes(type))));
        if (!accessible(type)) {
            return;
        }
        if (!Modifier.isAbstract(type.getModifiers()) && !inner(type)) {
            for (Constructor<?> each : type.getConstructors()) {
                if (!accessible(each.getParameterTypes())) {
                    continue;
                }
                lines.add(Arrays.asList("member", "constructor", type.getName(), "",
                        Names.of(each.getParameterTypes()), type.getName()));
            }
        }
        for (Method each : type.getMethods()) {
            Class<?> owner = bound(each, type) ? each.getDeclaringClass() : type;
            if (usable(each) && accessible(owner)) {
                lines.add(Arrays.asList("member",
                        Modifier.isStatic(each.getModifiers()) ? "static" : "method",
                        owner.getName(), each.getName(), Names.of(each.getParameterTypes()),
                        Names.of(each.getReturnType())));
            }
            if (type.isInterface() && Modifier.isAbstract(each.getModifiers())
                    && !isOfObject(each)) {
                lines.add(Arrays.asList("answers", each.getName(),
                        Names.of(each.getParameterTypes()), Names.of(each.getReturnType())));
            }
        }
        for (Field each : type.getFields()) {
            addField(type, each, lines);
        }
    }

    private static void addField(Class<?> type, Field field, Set<List<String>> lines) {
        boolean shared = Modifier.isStatic(field.getModifiers());
        if (field.isSynthetic() || (shared && !accessible(field.getDeclaringClass()))) {
            return;
        }
        String of = Names.of(field.getType());
        lines.add(Arrays.asList("member", shared ? "constant" : "get", type.getName(),
                field.getName(), "", of));
        if (!shared && !Modifier.isFinal(field.getModifiers())) {
            lines.add(Arrays.asList("member", "set", type.getName(), field.getName(), of, "void"));
        }
    }

    /** Leaves out what every object has, and what an interface of the JDK gives its classes. */
    private static boolean usable(Method method) {
        Class<?> from = method.getDeclaringClass();
        boolean given = from.isInterface() && !Modifier.isAbstract(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers());
        return from != Object.class && (!method.isSynthetic() || repeats(method))
                && !(given && from.getName().startsWith("java."))
                && accessible(method.getReturnType()) && accessible(method.getParameterTypes());
    }

    /**
     * Tells whether a bridge only hands on to the same method above: a public class has one for each
     * public method that it inherits from a class which others cannot name.
     */
    private static boolean repeats(Method bridge) {
        Class<?> from = bridge.getDeclaringClass();
        if (!bridge.isBridge() || Stream.of(from.getDeclaredMethods())
                .anyMatch(each -> !each.isSynthetic() && each.getName().equals(bridge.getName())
                        && each.getParameterCount() == bridge.getParameterCount())) {
            return false;
        }
        for (Class<?> each = from.getSuperclass(); each != null; each = each.getSuperclass()) {
            for (Method above : each.getDeclaredMethods()) {
                if (!above.isSynthetic() && above.getName().equals(bridge.getName())
                        && above.getReturnType() == bridge.getReturnType()
                        && Arrays.equals(above.getParameterTypes(), bridge.getParameterTypes())) {
                    return !takesVariable(above);
                }
            }
        }
        return false;
    }

    /**
     * Tells whether a method is inherited with the type arguments of its own class bound: source
     * that hands over values by erased types has to call it as a method of that class.
     */
    private static boolean bound(Method method, Class<?> type) {
        return method.getDeclaringClass() != type && type.getTypeParameters().length == 0
                && takesVariable(method);
    }

    private static boolean takesVariable(Method method) {
        for (java.lang.reflect.Type each : method.getGenericParameterTypes()) {
            java.lang.reflect.Type element = each;
            while (element instanceof GenericArrayType) {
                element = ((GenericArrayType) element).getGenericComponentType();
            }
            if (element instanceof TypeVariable
                    && ((TypeVariable<?>) element).getGenericDeclaration() instanceof Class) {
                return true;
            }
        }
        return false;
    }

    /** Tells whether an object belongs to one of the class around it, which `new` has to name. */
    static boolean inner(Class<?> type) {
        return type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
    }

    static boolean accessible(Class<?>[] types) {
        return Stream.of(types).allMatch(Types::accessible);
    }

    private static boolean isOfObject(Method method) {
        try {
            Object.class.getMethod(method.getName(), method.getParameterTypes());
            return true;
        } catch (NoSuchMethodException error) {
            return false;
        }
    }

    private static String flags(Class<?> type) {
        List<String> found = new ArrayList<>();
        if (accessible(type)) {
            found.add("public");
        }
        if (type.isInterface()) {
            found.add("interface");
        }
        if (Modifier.isAbstract(type.getModifiers())) {
            found.add("abstract");
        }
        if (type.isInterface() && isPlain(type)) {
            found.add("plain");
        }
        if (inner(type)) {
            found.add("inner");
        }
        return String.join(",", found);
    }

    /**
     * Tells whether a class with the erased methods implements it: not where it gives its own type
     * arguments to an interface, whose methods then have other parameters than they seem to have.
     */
    private static boolean isPlain(Class<?> type) {
        for (java.lang.reflect.Type each : type.getGenericInterfaces()) {
            if (!(each instanceof Class) || !isPlain((Class<?>) each)) {
                return false;
            }
        }
        for (Method each : type.getMethods()) {
            if (Modifier.isAbstract(each.getModifiers())
                    && (each.getTypeParameters().length > 0
                            || !accessible(each.getReturnType())
                            || !accessible(each.getParameterTypes()))) {
                return false;
            }
        }
        return !type.isAnnotation() && accessible(type);
    }

    static boolean accessible(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        for (Class<?> each = element; each != null; each = each.getEnclosingClass()) {
            if (!Modifier.isPublic(each.getModifiers()) || each.isAnonymousClass()
                    || each.isLocalClass()) {
                return false;
            }
        }
        return true;
    }

    static Set<String> supertypes(Class<?> type) {
        Set<String> found = new TreeSet<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            found.add(Names.of(each));
            addInterfaces(each, found);
        }
        if (!type.isPrimitive()) {
            found.add("java.lang.Object");
        }
        return found;
    }

    private static void addInterfaces(Class<?> type, Set<String> found) {
        for (Class<?> each : type.getInterfaces()) {
            found.add(each.getName());
            addInterfaces(each, found);
        }
    }
}
