using System;
using System.Collections;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Manywire.Lane.Http
{
    /// <summary>A subject with payloads that the server offers as a media type.</summary>
    public sealed class Offer
    {
        public readonly string MediaType;

        private readonly Loaded loaded;

        // The bodies of the transport meter, by payload.
        private readonly byte[][] plain;
        private readonly byte[][] packed;

        public Offer(string mediaType, Loaded loaded)
        {
            MediaType = Regex.IsMatch(mediaType, "^[!-~]+/[!-~]+$") ? mediaType : throw new Refusal($"media_type is {mediaType}, expected a media type");
            this.loaded = loaded;
            plain = loaded.Encode();
            packed = plain.Select(Coding.Deflate).ToArray();
        }

        public int Payloads => plain.Length;

        /// <summary>Returns prepared bytes.</summary>
        public byte[] Prepared(int index, bool isPacked)
        {
            return (isPacked ? packed : plain)[index];
        }

        /// <summary>Encodes the value of a payload.</summary>
        public byte[] Represent(int index, bool isPacked)
        {
            byte[] bytes = loaded.Coder.Encode(loaded.Values[index]);
            return isPacked ? Coding.Deflate(bytes) : bytes;
        }
    }

    /// <summary>The HTTP server of the verb serve: an HttpListener that hands requests to the thread pool.</summary>
    public sealed class Service
    {
        private const int PortAttempts = 20;

        private static readonly Regex Pattern = new Regex(@"^/(transport|endpoint)/([0-9]{1,6})/([0-9a-f]{16})\z", RegexOptions.Compiled);

        private readonly Offer[] offers;
        private readonly HttpListener listener;
        private long answered;

        public Service(Offer[] offers)
        {
            this.offers = offers;
            listener = Listen(out Port);
            Task.Run(Accept);
        }

        public readonly int Port;

        /// <summary>The number of requests that were answered with 200.</summary>
        public long Answered => Interlocked.Read(ref answered);

        /// <summary>
        /// Starts a listener at a port that the system chooses. HttpListener needs a number: another socket finds a
        /// free one, and if some program takes it before the listener does, the next attempt finds another.
        /// </summary>
        private static HttpListener Listen(out int port)
        {
            for (int attempt = 1; ; attempt++)
            {
                var finder = new TcpListener(IPAddress.Loopback, 0);
                finder.Start();
                port = ((IPEndPoint)finder.LocalEndpoint).Port;
                finder.Stop();
                var listener = new HttpListener();
                listener.Prefixes.Add($"http://127.0.0.1:{port}/");
                try
                {
                    listener.Start();
                    TurnNagleOff(port);
                    return listener;
                }
                catch (HttpListenerException) when (attempt < PortAttempts)
                {
                    listener.Close();
                }
            }
        }

        /// <summary>
        /// Turns Nagle's algorithm off at a port. Outside of Windows, HttpListener sends the part of a body beyond the
        /// first 16 KB separately, and that part would wait 40 ms for the client to acknowledge the first. There is no
        /// option for this, so the listening socket, whose options connections inherit, is found by reflection. A
        /// runtime that keeps it elsewhere keeps the delay.
        /// </summary>
        private static void TurnNagleOff(int port)
        {
            const BindingFlags Fields = BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance;
            Type manager = typeof(HttpListener).Assembly.GetType("System.Net.HttpEndPointManager");
            var addresses = manager?.GetField("s_ipEndPoints", Fields)?.GetValue(null) as IDictionary;
            var ports = addresses?[IPAddress.Loopback] as IDictionary;
            object listener = ports?[port];
            if (listener?.GetType().GetField("_socket", Fields)?.GetValue(listener) is Socket socket)
            {
                socket.NoDelay = true;
            }
        }

        private async Task Accept()
        {
            while (true)
            {
                HttpListenerContext context = await listener.GetContextAsync().ConfigureAwait(false);
                ThreadPool.QueueUserWorkItem(_ => Handle(context));
            }
        }

        private void Handle(HttpListenerContext context)
        {
            try
            {
                Respond(context.Request, context.Response);
            }
            catch (Exception error)
            {
                // The client has closed the connection; no other request is affected.
                Console.Error.WriteLine($"a response was not sent: {error.Message}");
                context.Response.Abort();
            }
        }

        private void Respond(HttpListenerRequest request, HttpListenerResponse response)
        {
            Match parts = Pattern.Match(request.RawUrl);
            int number = parts.Success ? int.Parse(parts.Groups[2].Value) : offers.Length;
            if (number >= offers.Length)
            {
                Refuse(response, 404, "no such path");
                return;
            }
            if (request.HttpMethod != "GET")
            {
                Refuse(response, 405, "only GET is allowed");
                return;
            }
            Offer offer = offers[number];
            string nonce = parts.Groups[3].Value;
            bool isPacked = request.Headers["Accept-Encoding"] == "gzip";
            byte[] bytes;
            try
            {
                int index = (int)(Convert.ToUInt32(nonce.Substring(8), 16) % offer.Payloads);
                bytes = parts.Groups[1].Value == "transport" ? offer.Prepared(index, isPacked) : offer.Represent(index, isPacked);
            }
            catch (Exception error)
            {
                Refuse(response, 500, error.Message);
                return;
            }
            response.ContentType = offer.MediaType;
            if (isPacked)
            {
                response.AddHeader("Content-Encoding", "gzip");
            }
            Interlocked.Increment(ref answered);
            byte[] body = new byte[nonce.Length + bytes.Length];
            Encoding.ASCII.GetBytes(nonce, 0, nonce.Length, body, 0);
            Buffer.BlockCopy(bytes, 0, body, nonce.Length, bytes.Length);
            Send(response, body);
        }

        private static void Refuse(HttpListenerResponse response, int status, string words)
        {
            response.StatusCode = status;
            response.ContentType = "text/plain; charset=utf-8";
            Send(response, Encoding.UTF8.GetBytes(words));
        }

        private static void Send(HttpListenerResponse response, byte[] body)
        {
            response.ContentLength64 = body.Length;
            response.OutputStream.Write(body, 0, body.Length);
            response.Close();
        }
    }
}
