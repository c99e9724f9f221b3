package benchaudit.maker;

import java.util.HashMap;
import java.util.Map;

/** Types as they are written here: binary names, and `[]` behind for arrays. */
final class Names {
    private static final Map<String, Class<?>> PRIMITIVES = new HashMap<>();

    static {
        for (Class<?> one : new Class<?>[] {
                boolean.class, byte.class, char.class, short.class, int.class, long.class,
                float.class, double.class, void.class}) {
            PRIMITIVES.put(one.getName(), one);
        }
    }

    private Names() {}

    static String of(Class<?> type) {
        return type.isArray() ? of(type.getComponentType()) + "[]" : type.getName();
    }

    static String of(Class<?>[] types) {
        StringBuilder text = new StringBuilder();
        for (Class<?> type : types) {
            text.append(text.length() > 0 ? "," : "").append(of(type));
        }
        return text.toString();
    }

    static Class<?> find(String name, ClassLoader loader) throws ClassNotFoundException {
        if (name.endsWith("[]")) {
            Class<?> component = find(name.substring(0, name.length() - 2), loader);
            return java.lang.reflect.Array.newInstance(component, 0).getClass();
        }
        Class<?> primitive = PRIMITIVES.get(name);
        return primitive != null ? primitive : Class.forName(name, false, loader);
    }

    static Class<?>[] findAll(String names, ClassLoader loader) throws ClassNotFoundException {
        if (names.isEmpty()) {
            return new Class<?>[0];
        }
        String[] parts = names.split(",");
        Class<?>[] found = new Class<?>[parts.length];
        for (int at = 0; at < parts.length; at++) {
            found[at] = find(parts[at], loader);
        }
        return found;
    }
}
