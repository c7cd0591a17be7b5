using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text.Json;

using Manywire.Lane.Http;
using Manywire.Lane.Subjects;

namespace Manywire.Lane
{
    /// <summary>A successful response and the frames that follow it.</summary>
    public sealed class Answer
    {
        public readonly Dictionary<string, object> Ok;
        public readonly byte[][] Frames;

        public Answer(Dictionary<string, object> ok, params byte[][] frames)
        {
            Ok = ok;
            Frames = frames;
        }
    }

    /// <summary>The .NET lane: responds to the requests of CONTRACT.md until the end of its input.</summary>
    public sealed class Program
    {
#if MCS
        private const string Build = "compiled by mcs";
#else
        private const string Build = "compiled by the .NET SDK";
#endif

        private readonly Dictionary<string, Func<Request, byte[][], Answer>> verbs;
        private readonly Dictionary<int, Loaded> loaded = new Dictionary<int, Loaded>();
        private Schema schema = Schema.None;
        private Service service;

        private Program()
        {
            verbs = new Dictionary<string, Func<Request, byte[][], Answer>>
            {
                ["describe"] = (request, payloads) => Describe(),
                ["schema"] = (request, payloads) => SetSchema(request),
                ["load"] = Load,
                ["digest"] = (request, payloads) => new Answer(new Dictionary<string, object> { ["digests"] = Find(request).Digests() }),
                ["encode"] = (request, payloads) => Encode(Find(request)),
                ["run"] = (request, payloads) => Run(request),
                ["memory"] = (request, payloads) => Memory(request),
                ["serve"] = (request, payloads) => Serve(request),
                ["served"] = (request, payloads) => Served(),
                ["fetch"] = (request, payloads) => Fetch(request),
            };
        }

        public static int Main()
        {
            try
            {
                Stream input = new BufferedStream(Console.OpenStandardInput(), 1 << 16);
                Stream output = Console.OpenStandardOutput();
                // Output that a library prints goes to standard error.
                Console.SetOut(Console.Error);
                new Program().Respond(input, output);
                return 0;
            }
            catch (Exception error)
            {
                // After an invalid frame the start of the next request is unknown.
                Console.Error.WriteLine($"the lane ends: {error.Message}");
                return 1;
            }
        }

        private void Respond(Stream input, Stream output)
        {
            for (byte[] frame = Frames.Read(input); frame != null; frame = Frames.Read(input))
            {
                Request request = Request.Parse(frame);
                var payloads = new List<byte[]>();
                for (long left = request.Following; left > 0; left--)
                {
                    payloads.Add(Frames.Read(input) ?? throw new EndOfStreamException($"the input ends before the frames of \"{request.Verb}\""));
                }
                Write(output, Execute(request, payloads.ToArray()));
            }
        }

        private static void Write(Stream output, object answer)
        {
            object head = answer is Answer done ? new Dictionary<string, object> { ["ok"] = done.Ok } : answer;
            // One write for each response.
            var all = new MemoryStream();
            Frames.Write(all, JsonSerializer.SerializeToUtf8Bytes(head, null));
            foreach (byte[] frame in answer is Answer ok ? ok.Frames : new byte[0][])
            {
                Frames.Write(all, frame);
            }
            all.WriteTo(output);
            output.Flush();
        }

        /// <summary>Returns an answer, or an object with the error.</summary>
        private object Execute(Request request, byte[][] payloads)
        {
            if (request.Verb == null || !verbs.ContainsKey(request.Verb))
            {
                return Error($"unknown verb {request.Show("verb")}, expected one of {string.Join(", ", verbs.Keys)}");
            }
            try
            {
                return verbs[request.Verb](request, payloads);
            }
            catch (Refusal refusal)
            {
                return Error(refusal.Message);
            }
            catch (Exception error)
            {
                // Any exception of a library is an error response; the lane continues.
                return Error($"{error.GetType().Name}: {error.Message}");
            }
        }

        private static Dictionary<string, object> Error(string message)
        {
            return new Dictionary<string, object> { ["error"] = message };
        }

        private static Answer Describe()
        {
            var http = new Dictionary<string, object> { ["server"] = "HttpListener", ["client"] = "HttpClient", ["codings"] = new[] { "gzip" } };
            return new Answer(new Dictionary<string, object>
            {
                ["contract"] = 1,
                ["lane"] = "dotnet",
                ["runtime"] = $"{RuntimeInformation.FrameworkDescription}, {Build}",
                ["subjects"] = Subject.All.Select(subject => subject.Describe()).ToArray(),
                ["http"] = http,
            });
        }

        private static int Index(Request request)
        {
            return (int)request.Whole("subject", Subject.All.Length);
        }

        private Loaded Find(Request request)
        {
            int index = Index(request);
            return loaded.TryGetValue(index, out Loaded found) ? found : throw new Refusal($"subject {index} has no payloads; send them with `load`");
        }

        private Answer SetSchema(Request request)
        {
            schema = new Schema(request.Value("model"));
            return new Answer(new Dictionary<string, object>());
        }

        private Answer Load(Request request, byte[][] payloads)
        {
            int index = Index(request);
            loaded.Remove(index);
            loaded[index] = new Loaded(Subject.All[index], schema, payloads);
            return new Answer(new Dictionary<string, object>());
        }

        private static Answer Encode(Loaded found)
        {
            byte[][] written = found.Encode();
            return new Answer(new Dictionary<string, object> { ["payloads"] = written.Length }, written);
        }

        private Answer Run(Request request)
        {
            Loaded found = Find(request);
            var operation = found.Operation(request.IsEncode(), request.IsPacked());
            int[] window = request.Window(found.Bytes.Length);
            return new Answer(Meter.Run(operation.Execute, operation.Inputs, window, request.Whole("repeats", Request.CountMax)));
        }

        private Answer Memory(Request request)
        {
            var operation = Find(request).Operation(request.IsEncode(), false);
            return new Answer(Meter.Memory(operation.Execute, operation.Inputs));
        }

        private Answer Serve(Request request)
        {
            if (service != null)
            {
                throw new Refusal("the server is already running");
            }
            Offer[] offers = request.Objects("offers").Select(offer => new Offer(offer.Text("media_type"), Find(offer))).ToArray();
            service = new Service(offers);
            return new Answer(new Dictionary<string, object> { ["port"] = service.Port });
        }

        private Answer Served()
        {
            if (service == null)
            {
                throw new Refusal("the server is not running");
            }
            return new Answer(new Dictionary<string, object>
            {
                ["requests"] = service.Answered, ["cpu_ns"] = Clock.CpuNanoseconds(), ["collections"] = Meter.Collections(),
            });
        }

        private Answer Fetch(Request request)
        {
            using (var fetcher = new Fetcher(Find(request), request))
            {
                return fetcher.Run();
            }
        }
    }
}
