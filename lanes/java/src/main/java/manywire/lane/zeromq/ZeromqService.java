package manywire.lane.zeromq;

import manywire.lane.Refusal;
import manywire.lane.serve.Offers;
import manywire.lane.serve.Server;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The server over ZeroMQ: a REP socket of JeroMQ, which answers one request at a time. */
public final class ZeromqService implements Server {
    /** The number of frames of a request and of a response. */
    static final int FRAMES = 3;

    /** The time limit of receiving, after which the socket receives again, and of sending. */
    private static final int TIMEOUT_MS = 1_000;

    /** The media type of a response that describes a failure. */
    private static final String FAILURE = "text/plain";

    private final Offers offers;
    private final AtomicLong answered = new AtomicLong();
    private final ZContext context = new ZContext();
    private final int port;
    private volatile boolean closed;

    public ZeromqService(List<Offers.Offer> offers) throws Exception {
        this.offers = new Offers(offers);
        context.setLinger(0);
        ZMQ.Socket socket = context.createSocket(SocketType.REP);
        socket.setReceiveTimeOut(TIMEOUT_MS);
        socket.setSendTimeOut(TIMEOUT_MS);
        socket.bind("tcp://127.0.0.1:*");
        String endpoint = socket.getLastEndpoint();
        port = Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
        Thread thread = new Thread(() -> run(socket), "zeromq");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public long answered() {
        return answered.get();
    }

    @Override
    public void close() {
        // The thread is a daemon: it ends with the process.
        closed = true;
    }

    private void run(ZMQ.Socket socket) {
        while (!closed) {
            try {
                List<byte[]> request = receive(socket);
                if (request != null) {
                    send(socket, respond(request));
                }
            } catch (ZMQException error) {
                // The peer of a response that cannot be sent is gone.
                System.err.println("zeromq: " + error.getMessage());
            }
        }
    }

    /** Returns the frames of a message, or {@code null} after the time limit. */
    static List<byte[]> receive(ZMQ.Socket socket) {
        List<byte[]> frames = new ArrayList<>(FRAMES);
        do {
            byte[] frame = socket.recv();
            if (frame == null) {
                return null;
            }
            frames.add(frame);
        } while (socket.hasReceiveMore());
        return frames;
    }

    /** Returns whether the frames were sent within the time limit. */
    static boolean send(ZMQ.Socket socket, List<byte[]> frames) {
        for (int index = 0; index < frames.size(); index++) {
            boolean more = index + 1 < frames.size();
            if (!socket.send(frames.get(index), more ? ZMQ.SNDMORE : 0)) {
                return false;
            }
        }
        return true;
    }

    private List<byte[]> respond(List<byte[]> request) {
        try {
            List<byte[]> response = answer(request);
            answered.incrementAndGet();
            return response;
        } catch (Exception | StackOverflowError error) {
            // Any exception of a library is a response; the server continues.
            String words = String.valueOf(error.getMessage());
            return List.of(bytes(FAILURE), bytes("identity"), words.getBytes(StandardCharsets.UTF_8));
        }
    }

    private List<byte[]> answer(List<byte[]> request) throws Exception {
        if (request.size() != FRAMES) {
            throw new Refusal("expected a request of 3 frames, found " + request.size());
        }
        String coding = text(request.get(1));
        Offers.Target target = offers.find(text(request.get(2)));
        if (target == null) {
            throw new Refusal("unknown target " + text(request.get(2)));
        }
        if (!text(request.get(0)).equals(target.mediaType())) {
            throw new Refusal(
                    "expected the media type " + target.mediaType() + ", found " + text(request.get(0)));
        }
        if (!coding.equals("identity") && !coding.equals("gzip")) {
            throw new Refusal("unknown content coding " + coding);
        }
        byte[] nonce = target.nonce();
        byte[] representation = target.represent(coding.equals("gzip"));
        byte[] body = new byte[nonce.length + representation.length];
        System.arraycopy(nonce, 0, body, 0, nonce.length);
        System.arraycopy(representation, 0, body, nonce.length, representation.length);
        return List.of(request.get(0), request.get(1), body);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns the beginning of a frame as text. */
    static String text(byte[] frame) {
        return new String(frame, 0, Math.min(frame.length, 200), StandardCharsets.ISO_8859_1);
    }
}
