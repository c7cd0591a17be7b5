package manywire.lane.http;

import manywire.lane.serve.Connection;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** The connections of a client of java.net.http over HTTP/1.1. */
final class HttpConnection implements Connection {
    private final Fetcher.Asked asked;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    HttpConnection(Fetcher.Asked asked) {
        this.asked = asked;
    }

    @Override
    public Response get(String nonce) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(asked.url() + nonce))
                        .timeout(Duration.ofNanos((long) (asked.timeoutMs() * 1e6)));
        for (List<String> header : asked.headers()) {
            request.header(header.get(0), header.get(1));
        }
        HttpResponse<byte[]> response =
                client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException(
                    "status " + response.statusCode() + ": " + Fetcher.text(response.body(), 200));
        }
        String coding = response.headers().firstValue("Content-Encoding").orElse("identity");
        return new Response(response.body(), coding);
    }

    @Override
    public void close() {
        // The connections close when the client is collected.
    }
}
