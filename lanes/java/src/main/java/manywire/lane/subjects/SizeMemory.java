package manywire.lane.subjects;

import com.google.protobuf.AbstractMessage;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Clears the cached sizes of messages. A message caches its size when it is first written, which
 * saves half of the work the second time; but a program writes a message only once.
 */
final class SizeMemory {
    private static final VarHandle GENERATED = handle(AbstractMessage.class);
    private static final VarHandle DYNAMIC = handle(DynamicMessage.class);
    private static final int UNKNOWN = -1;

    // Each message with all messages nested in it, so that clearing takes only one store for each.
    private final Map<Message, Message[]> parts = new IdentityHashMap<>();

    void forget(Message whole) {
        for (Message part : parts.computeIfAbsent(whole, SizeMemory::parts)) {
            if (part instanceof DynamicMessage) {
                DYNAMIC.set((DynamicMessage) part, UNKNOWN);
            } else {
                GENERATED.set((AbstractMessage) part, UNKNOWN);
            }
        }
    }

    private static Message[] parts(Message whole) {
        List<Message> found = new ArrayList<>();
        collect(whole, found);
        return found.toArray(Message[]::new);
    }

    private static void collect(Object value, List<Message> found) {
        if (value instanceof List<?> items) {
            items.forEach(item -> collect(item, found));
        } else if (value instanceof AbstractMessage message) {
            // The entries of maps are created for each write, so their sizes are not kept.
            if (!message.getDescriptorForType().getOptions().getMapEntry()) {
                found.add(message);
            }
            message.getAllFields().values().forEach(each -> collect(each, found));
        }
    }

    private static VarHandle handle(Class<?> owner) {
        try {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
                    .findVarHandle(owner, "memoizedSize", int.class);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(
                    "protobuf-java has no field memoizedSize", error);
        }
    }
}
