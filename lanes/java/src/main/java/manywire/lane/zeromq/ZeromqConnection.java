package manywire.lane.zeromq;

import manywire.lane.Refusal;
import manywire.lane.serve.Connection;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client over ZeroMQ: a REQ socket of JeroMQ. After an error it continues with a new socket,
 * because a REQ socket without its response cannot send again.
 */
public final class ZeromqConnection implements Connection {
    /**
     * The share of the time limit after which a connection without its handshake is made again. JeroMQ 0.6.0 loses
     * the handshake of some new connections (its pull request 1022), most often on a busy machine.
     */
    private static final int HANDSHAKES = 5;

    private static final Pattern URL = Pattern.compile("(tcp://[^/]+)(/.*)");

    private final ZContext context;
    private final String endpoint;
    private final String target;
    private final byte[] mediaType;
    private final String coding;
    private final int timeoutMs;
    private ZMQ.Socket socket;

    /** Returns a connection. The header fields have their names in lower case. */
    public ZeromqConnection(
            ZContext context, String url, Map<String, String> headers, double timeoutMs) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new Refusal("invalid URL " + url);
        }
        if (!headers.containsKey("accept")) {
            throw new Refusal("no media type; expected a header field Accept");
        }
        this.context = context;
        endpoint = parts.group(1);
        target = parts.group(2);
        mediaType = ZeromqService.bytes(headers.get("accept"));
        coding = headers.getOrDefault("accept-encoding", "identity");
        this.timeoutMs = Math.max(1, (int) timeoutMs);
    }

    @Override
    public Response get(String nonce) throws IOException {
        boolean answered = false;
        try {
            if (socket == null) {
                socket = connect();
            }
            List<byte[]> request =
                    List.of(
                            mediaType,
                            ZeromqService.bytes(coding),
                            ZeromqService.bytes(target + nonce));
            List<byte[]> response =
                    ZeromqService.send(socket, request) ? ZeromqService.receive(socket) : null;
            if (response == null) {
                throw new IOException("no response after " + timeoutMs + " ms");
            }
            Response found = check(response);
            answered = true;
            return found;
        } finally {
            if (!answered) {
                close();
            }
        }
    }

    private Response check(List<byte[]> response) throws IOException {
        if (response.size() != ZeromqService.FRAMES) {
            throw new IOException("expected a response of 3 frames, found " + response.size());
        }
        String expected = ZeromqService.text(mediaType);
        String found = ZeromqService.text(response.get(0));
        byte[] body = response.get(2);
        if (!found.equals(expected)) {
            throw new IOException(
                    "expected " + expected + ", found " + found + ": " + ZeromqService.text(body));
        }
        String coded = ZeromqService.text(response.get(1));
        if (!coded.equals("identity") && !coded.equals(coding)) {
            throw new IOException("unexpected content coding " + coded);
        }
        return new Response(body, coded);
    }

    private ZMQ.Socket connect() {
        ZMQ.Socket opened = context.createSocket(SocketType.REQ);
        opened.setLinger(0);
        opened.setReceiveTimeOut(timeoutMs);
        opened.setSendTimeOut(timeoutMs);
        opened.setHandshakeIvl(Math.max(1, timeoutMs / HANDSHAKES));
        opened.connect(endpoint);
        return opened;
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
