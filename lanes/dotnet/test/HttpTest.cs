using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;

using Manywire.Lane.Http;

namespace Manywire.Lane.Test
{
    /// <summary>The HTTP server of the lane with its own client, and the client with servers that break off.</summary>
    public static class HttpTest
    {
        private const string Nonce = "5f3a9c01";
        private static readonly string[] Payloads = { "{\"a\":1}", "[2]" };

        private static long Serve(LaneProcess lane)
        {
            Check.Equal(null, LaneProcess.Error(lane.Load(0, Payloads.Select(LaneProcess.Utf8).ToArray())), "load");
            return (long)lane.Get("{\"verb\":\"serve\",\"offers\":[{\"subject\":0,\"media_type\":\"application/json\"}]}")["port"];
        }

        private static HttpResponseMessage Ask(HttpMethod method, long port, string path, string coding, out byte[] body)
        {
            using (var client = new HttpClient(new HttpClientHandler { UseProxy = false }))
            {
                var request = new HttpRequestMessage(method, $"http://127.0.0.1:{port}{path}");
                if (coding != null)
                {
                    request.Headers.TryAddWithoutValidation("Accept-Encoding", coding);
                }
                HttpResponseMessage response = client.SendAsync(request).Result;
                body = response.Content.ReadAsByteArrayAsync().Result;
                return response;
            }
        }

        public static void BodiesAreEnvelopes()
        {
            using (var lane = new LaneProcess())
            {
                long port = Serve(lane);
                foreach (string meter in new[] { "transport", "endpoint" })
                {
                    for (int number = 0; number < 3; number++)
                    {
                        string nonce = $"{Nonce}{number:x8}";
                        HttpResponseMessage plain = Ask(HttpMethod.Get, port, $"/{meter}/0/{nonce}", null, out byte[] body);
                        Check.Equal(HttpStatusCode.OK, plain.StatusCode, meter);
                        Check.Equal("application/json", plain.Content.Headers.ContentType.ToString(), meter);
                        Check.Equal((long?)body.Length, plain.Content.Headers.ContentLength, meter);
                        Check.Equal(0, plain.Content.Headers.ContentEncoding.Count, meter);
                        Check.Equal(nonce + Payloads[number % 2], Encoding.UTF8.GetString(body), meter);
                        HttpResponseMessage packed = Ask(HttpMethod.Get, port, $"/{meter}/0/{nonce}", "gzip", out body);
                        Check.Equal("gzip", packed.Content.Headers.ContentEncoding.Single(), meter);
                        Check.Equal(nonce, Encoding.ASCII.GetString(body, 0, 16), meter);
                        Check.Equal(Payloads[number % 2], Encoding.UTF8.GetString(Coding.Inflate(body.Skip(16).ToArray())), meter);
                    }
                }
                Dictionary<string, object> served = lane.Get("{\"verb\":\"served\"}");
                Check.Equal(12L, served["requests"], "served");
                Check.True((long)served["cpu_ns"] > 0 && (long)served["collections"] >= 0, "served");
            }
        }

        public static void UnknownPathsAndMethodsAreRefused()
        {
            using (var lane = new LaneProcess())
            {
                long port = Serve(lane);
                string nonce = $"{Nonce}00000000";
                foreach (string path in new[] { "/", $"/endpoint/1/{nonce}", $"/endpoint/x/{nonce}", "/endpoint/0/1", $"/dance/0/{nonce}", $"/endpoint/0/{nonce}?a" })
                {
                    Check.Equal(HttpStatusCode.NotFound, Ask(HttpMethod.Get, port, path, null, out _).StatusCode, path);
                }
                Check.Equal(HttpStatusCode.MethodNotAllowed, Ask(HttpMethod.Post, port, $"/endpoint/0/{nonce}", null, out _).StatusCode, "POST");
                Check.Contains("already", lane.Refusal("{\"verb\":\"serve\",\"offers\":[]}"));
                Check.Equal(0L, lane.Get("{\"verb\":\"served\"}")["requests"], "served");
                Check.Equal(0, lane.End(new byte[0], out _, out string messages), $"an open server does not keep the process: {messages}");
            }
        }

        private static string Fetch(string url, string change = "", int subject = 0)
        {
            // The last of equal members counts.
            return $"{{\"verb\":\"fetch\",\"subject\":{subject},\"url\":\"{url}\",\"nonce\":\"{Nonce}\",\"headers\":[[\"Accept-Encoding\",\"gzip\"]],"
                + "\"decode\":true,\"connections\":2,\"rate\":null,\"requests\":10,\"duration_ms\":60000.5,\"timeout_ms\":10000" + change + "}";
        }

        public static void FetchRunsClosedAndOpenLoops()
        {
            using (var lane = new LaneProcess())
            {
                string url = $"http://127.0.0.1:{Serve(lane)}/endpoint/0/";
                foreach (string rate in new[] { "null", "200" })
                {
                    Dictionary<string, object> ok = lane.Get(Fetch(url, $",\"rate\":{rate}"));
                    byte[] latencies = lane.Receive();
                    byte[] delays = lane.Receive();
                    Check.Equal(10L, ok["requests"], $"requests: {ok["error"]}");
                    Check.Equal(0L, ok["errors"], $"{ok["error"]}");
                    Check.Equal(80, latencies.Length, "latencies");
                    Check.Equal(rate == "null" ? 0 : 80, delays.Length, "delays");
                    long first = latencies.Take(8).Aggregate(0L, (sum, each) => sum << 8 | each);
                    Check.True(first > 1000 && first < 10000000000, $"{first} ns");
                    Check.True(rate == "null" || (long)ok["wall_ns"] >= 45000000, "the last of ten requests is planned after 45 ms");
                }
                // Each of the two connections sent one uncounted request.
                Check.Equal(24L, lane.Get("{\"verb\":\"served\"}")["requests"], "served");
            }
        }

        public static void AnInvalidFetchIsAnError()
        {
            using (var lane = new LaneProcess())
            {
                long port = Serve(lane);
                string url = $"http://127.0.0.1:{port}/endpoint/0/";
                Check.Contains("404", lane.Refusal(Fetch($"http://127.0.0.1:{port}/endpoint/7/")));
                Check.Contains("refused", lane.Refusal(Fetch("http://127.0.0.1:1/")).ToLowerInvariant());
                Check.Contains("expected http", lane.Refusal(Fetch("ftp://127.0.0.1/")));
                Check.Contains("connections", lane.Refusal(Fetch(url, ",\"connections\":0")));
                Check.Contains("rate", lane.Refusal(Fetch(url, ",\"rate\":-1")));
                Check.Contains("headers", lane.Refusal(Fetch(url, ",\"headers\":[[\"a\"]]")));
                Check.Contains("nonce", lane.Refusal(Fetch(url, ",\"nonce\":\"x\"")));
                Check.Contains("timeout_ms", lane.Refusal(Fetch(url, ",\"timeout_ms\":null")));
            }
        }

        public static void ErrorsOfAResponseAreCountedAndTheLaneContinues()
        {
            byte[] hostile = MessagePackTest.Bytes(string.Concat(Enumerable.Repeat("dd01ffffff", 8)));
            var answers = new Dictionary<string, Func<string, byte[]>>
            {
                ["prematurely"] = nonce => Response("200 OK", "Content-Length: 100", LaneProcess.Utf8(nonce)),
                ["expected a body that begins with"] = nonce => Response("200 OK", "Content-Length: 17", LaneProcess.Utf8("0000000000000000\u0001")),
                ["no response within 500 ms"] = nonce => null,
                ["unexpected content coding br"] = nonce => Response("200 OK", "Content-Encoding: br\r\nContent-Length: 17", LaneProcess.Utf8(nonce + "\u0001")),
                ["a container of 33554431"] = nonce => Response("200 OK", "Content-Length: 56", LaneProcess.Utf8(nonce).Concat(hostile).ToArray()),
                ["status 500: broken"] = nonce => Response("500 Error", "Content-Length: 6", LaneProcess.Utf8("broken")),
            };
            using (var lane = new LaneProcess())
            {
                Check.Equal(null, LaneProcess.Error(lane.Load(2, new byte[] { 1 })), "load");
                foreach (KeyValuePair<string, Func<string, byte[]>> answer in answers)
                {
                    using (var server = new BreakingServer(answer.Value))
                    {
                        string change = ",\"connections\":1,\"requests\":2,\"timeout_ms\":500";
                        Dictionary<string, object> ok = lane.Get(Fetch($"http://127.0.0.1:{server.Port}/", change, 2));
                        Check.Equal(0, lane.Receive().Length, answer.Key);
                        Check.Equal(0, lane.Receive().Length, answer.Key);
                        Check.Equal(2L, ok["errors"], answer.Key);
                        Check.Contains(answer.Key, (string)ok["error"]);
                    }
                }
            }
        }

        private static byte[] Response(string status, string fields, byte[] body)
        {
            return LaneProcess.Utf8($"HTTP/1.1 {status}\r\nConnection: close\r\n{fields}\r\n\r\n").Concat(body).ToArray();
        }

        /// <summary>A server that answers the first request correctly, and all others with the given bytes or not at all.</summary>
        private sealed class BreakingServer : IDisposable
        {
            private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
            private readonly Func<string, byte[]> answer;
            private int count;

            public BreakingServer(Func<string, byte[]> answer)
            {
                this.answer = answer;
                listener.Start();
                Task.Run(Accept);
            }

            public int Port => ((IPEndPoint)listener.LocalEndpoint).Port;

            private async Task Accept()
            {
                while (true)
                {
                    TcpClient client = await listener.AcceptTcpClientAsync();
                    NetworkStream stream = client.GetStream();
                    string first = new StreamReader(stream).ReadLine();
                    string nonce = first.Split(' ')[1].Substring(1);
                    byte[] bytes = count++ == 0
                        ? Response("200 OK", "Content-Length: 17", LaneProcess.Utf8(nonce + "\u0001"))
                        : answer(nonce);
                    if (bytes != null)
                    {
                        stream.Write(bytes, 0, bytes.Length);
                        // A close with unread input would reset the connection before the client has read.
                        client.Client.Shutdown(SocketShutdown.Send);
                    }
                }
            }

            public void Dispose()
            {
                listener.Stop();
            }
        }
    }
}
