using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Manywire.Lane.Http
{
    /// <summary>The HTTP client of the verb fetch: an HttpClient with persistent connections.</summary>
    public sealed class Fetcher : IDisposable
    {
        // The number of errors after which no new requests are started.
        private const int ErrorsMax = 100;

        // The usual delay after a sleep until its continuation runs. The rest of a wait yields.
        private const long SleepNanoseconds = 150000;

        private readonly Loaded loaded;
        private readonly string url;
        private readonly string nonce;
        private readonly List<KeyValuePair<string, string>> headers;
        private readonly bool isDecoded;
        private readonly int connections;
        private readonly double? rate;
        private readonly long requests;
        private readonly long durationNanoseconds;
        private readonly int timeoutMilliseconds;
        private readonly bool asksForGzip;
        private readonly HttpClient client;

        private readonly object gate = new object();
        private readonly List<long> latencies = new List<long>();
        private readonly List<long> delays = new List<long>();
        private long following;
        private long planned;
        private long start;
        private long bodyBytes;
        private long errors;
        private string firstError;

        public Fetcher(Loaded loaded, Request request)
        {
            this.loaded = loaded;
            url = request.Text("url");
            nonce = request.TextOrNull("nonce");
            headers = request.Pairs("headers");
            isDecoded = request.Truth("decode");
            connections = (int)request.Whole("connections", 65536);
            rate = request.Rate("rate");
            requests = request.Whole("requests", 1L << 32);
            durationNanoseconds = (long)(request.Milliseconds("duration_ms") * 1e6);
            timeoutMilliseconds = (int)Math.Ceiling(request.Milliseconds("timeout_ms"));
            if (connections == 0)
            {
                throw new Refusal("connections is 0, expected a number from 1");
            }
            if (nonce != null && (nonce.Length != 8 || nonce.Any(each => !IsHexadecimal(each))))
            {
                throw new Refusal($"nonce is {request.Show("nonce")}, expected eight hexadecimal digits or null");
            }
            if (!Uri.TryCreate(url, UriKind.Absolute, out Uri parsed) || (parsed.Scheme != "http" && parsed.Scheme != "https"))
            {
                throw new Refusal($"url is {request.Show("url")}, expected http or https");
            }
            asksForGzip = headers.Any(each => each.Key.ToLowerInvariant() == "accept-encoding" && each.Value.Contains("gzip"));
            // Redirects, cookies and proxies would change the request that is measured.
            var handler = new HttpClientHandler
            {
                MaxConnectionsPerServer = connections, AllowAutoRedirect = false, UseCookies = false, UseProxy = false,
            };
            client = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        }

        private static bool IsHexadecimal(char digit)
        {
            return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
        }

        public void Dispose()
        {
            client.Dispose();
        }

        /// <summary>Runs the fetch. Returns the response and its two frames.</summary>
        public Answer Run()
        {
            try
            {
                // Each connection sends one uncounted request.
                Each(() => Send(following++));
            }
            catch (Exception error)
            {
                throw new Refusal($"the first request: {Message(error)}");
            }
            bodyBytes = 0;
            if (rate != null)
            {
                // Each connection may have a thread that sleeps, and others read the responses.
                ThreadPool.GetMinThreads(out int workers, out int completions);
                ThreadPool.SetMinThreads(Math.Max(workers, connections + Environment.ProcessorCount), completions);
            }
            int collected = Meter.Collections();
            long cpu = Clock.CpuNanoseconds();
            start = Clock.Nanoseconds();
            Each(Work);
            long wall = Clock.Nanoseconds() - start;
            cpu = Clock.CpuNanoseconds() - cpu;
            var ok = new Dictionary<string, object>
            {
                ["requests"] = latencies.Count, ["errors"] = errors, ["error"] = firstError, ["body_bytes"] = bodyBytes,
                ["wall_ns"] = wall, ["cpu_ns"] = cpu, ["collections"] = Meter.Collections() - collected,
            };
            return new Answer(ok, Frame(latencies), Frame(delays));
        }

        private void Each(Func<Task> work)
        {
            Task.WhenAll(Enumerable.Range(0, connections).Select(_ => work()).ToArray()).GetAwaiter().GetResult();
        }

        /// <summary>Returns whether there is a next request and, in an open loop, the instant it is planned for.</summary>
        private bool Next(out long number, out long? instant)
        {
            lock (gate)
            {
                number = following;
                instant = null;
                long after = rate == null ? Clock.Nanoseconds() - start : (long)(planned / rate.Value * 1e9);
                if (after > durationNanoseconds || planned >= requests || errors >= ErrorsMax)
                {
                    return false;
                }
                planned++;
                following++;
                if (rate != null)
                {
                    instant = start + after;
                }
                return true;
            }
        }

        /// <summary>Sends requests over one connection, one after another.</summary>
        private async Task Work()
        {
            // The other connections start at the same time.
            await Task.Yield();
            while (Next(out long number, out long? instant))
            {
                if (instant != null)
                {
                    await Until(instant.Value).ConfigureAwait(false);
                }
                long sent = Clock.Nanoseconds();
                try
                {
                    await Send(number).ConfigureAwait(false);
                    long end = Clock.Nanoseconds();
                    lock (gate)
                    {
                        latencies.Add(end - (instant ?? sent));
                        if (instant != null)
                        {
                            delays.Add(sent - instant.Value);
                        }
                    }
                }
                catch (Exception error)
                {
                    lock (gate)
                    {
                        errors++;
                        firstError = firstError ?? Message(error);
                    }
                }
            }
        }

        private static async Task Until(long instant)
        {
            long left = instant - Clock.Nanoseconds();
            if (left > SleepNanoseconds)
            {
                await Task.Run(() => Clock.Sleep(left - SleepNanoseconds)).ConfigureAwait(false);
            }
            while (Clock.Nanoseconds() < instant)
            {
                // Meanwhile, other connections read their responses.
                await Task.Yield();
            }
        }

        private async Task Send(long number)
        {
            string expected = nonce == null ? "" : nonce + ((uint)number).ToString("x8");
            using (var timeout = new CancellationTokenSource(timeoutMilliseconds))
            using (var request = new HttpRequestMessage(HttpMethod.Get, url + expected))
            {
                foreach (KeyValuePair<string, string> header in headers)
                {
                    request.Headers.TryAddWithoutValidation(header.Key, header.Value);
                }
                try
                {
                    using (HttpResponseMessage response = await client.SendAsync(request, timeout.Token).ConfigureAwait(false))
                    {
                        byte[] body = await response.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                        Read(response, body, expected);
                    }
                }
                catch (OperationCanceledException) when (timeout.IsCancellationRequested)
                {
                    throw new Refusal($"no response within {timeoutMilliseconds} ms");
                }
            }
        }

        private void Read(HttpResponseMessage response, byte[] body, string expected)
        {
            int status = (int)response.StatusCode;
            if (status != 200)
            {
                throw new Refusal($"status {status}: {Encoding.UTF8.GetString(body, 0, Math.Min(200, body.Length))}");
            }
            string found = Encoding.ASCII.GetString(body, 0, Math.Min(expected.Length, body.Length));
            if (found != expected)
            {
                throw new Refusal($"expected a body that begins with {expected}, found {found}");
            }
            if (isDecoded)
            {
                var bytes = new byte[body.Length - expected.Length];
                Buffer.BlockCopy(body, expected.Length, bytes, 0, bytes.Length);
                string coding = string.Join(", ", response.Content.Headers.ContentEncoding);
                if (coding != "" && coding != "identity" && !(coding == "gzip" && asksForGzip))
                {
                    throw new Refusal($"unexpected content coding {coding}");
                }
                Meter.Keep(loaded.Coder.Decode(coding == "gzip" ? Coding.Inflate(bytes) : bytes));
            }
            Interlocked.Add(ref bodyBytes, body.Length);
        }

        /// <summary>Returns the message of an error and of its causes, which HttpClient wraps.</summary>
        private static string Message(Exception error)
        {
            return error.InnerException == null ? error.Message : $"{error.Message} {Message(error.InnerException)}";
        }

        /// <summary>Returns nanoseconds as eight bytes each, most significant first.</summary>
        private static byte[] Frame(List<long> times)
        {
            var bytes = new byte[8 * times.Count];
            for (int index = 0; index < bytes.Length; index++)
            {
                bytes[index] = (byte)(Math.Max(0, times[index / 8]) >> 8 * (7 - index % 8));
            }
            return bytes;
        }
    }
}
