package benchaudit.maker;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Objects that implement an interface by returning plain values, as the written tests do, but
 * without their work; methods that have a body in the interface run it.
 */
final class Plain implements InvocationHandler {
    /** What calls such a method, from Java 16 on; else null. */
    private static final Method DEFAULT = invokeDefault();

    private final boolean says;

    private Plain(boolean says) {
        this.says = says;
    }

    static Object of(Class<?> type, boolean says) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Plain(says));
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            switch (method.getName()) {
                case "equals":
                    return self == arguments[0];
                case "hashCode":
                    return System.identityHashCode(self);
                default:
                    return "plain " + method.getName();
            }
        }
        return method.isDefault() ? inherited(self, method, arguments)
                : value(method.getReturnType());
    }

    private static Object inherited(Object self, Method method, Object[] arguments)
            throws Throwable {
        if (DEFAULT == null) {
            // Reflection may still open this, the only way there is to the body of any interface.
            Field trusted = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
            trusted.setAccessible(true);
            return ((MethodHandles.Lookup) trusted.get(null))
                    .unreflectSpecial(method, method.getDeclaringClass()).bindTo(self)
                    .invokeWithArguments(arguments == null ? new Object[0] : arguments);
        }
        try {
            return DEFAULT.invoke(null, self, method, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private static Method invokeDefault() {
        try {
            return InvocationHandler.class.getMethod(
                    "invokeDefault", Object.class, Method.class, Object[].class);
        } catch (NoSuchMethodException error) {
            return null;
        }
    }

    private Object value(Class<?> type) {
        if (type == boolean.class) {
            return says;
        }
        if (type == String.class) {
            return "";
        }
        if (type == Object.class) {
            return new Object();
        }
        if (type == char.class) {
            return '\0';
        }
        if (!type.isPrimitive() || type == void.class) {
            return null;
        }
        // An array's elements are the noughts of their type.
        return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0);
    }
}
