package benchaudit.maker;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Objects that implement an interface by returning plain values, as the written tests do. */
final class Plain implements InvocationHandler {
    private final boolean says;

    private Plain(boolean says) {
        this.says = says;
    }

    static Object of(Class<?> type, boolean says) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Plain(says));
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) {
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
        return value(method.getReturnType());
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
