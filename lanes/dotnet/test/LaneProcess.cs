using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

using Manywire.Lane.Subjects;

namespace Manywire.Lane.Test
{
    /// <summary>The lane as a process that is driven by frames, as the orchestrator does.</summary>
    public sealed class LaneProcess : IDisposable
    {
        /// <summary>The libraries of dynamic values.</summary>
        public static readonly string[] Names = { "System.Text.Json", "Newtonsoft.Json", "manywire-net" };
        public static readonly string[] Formats = { "json", "json", "msgpack" };

        /// <summary>The libraries of typed values, whose subjects come after the dynamic ones.</summary>
        public static readonly string[] TypedNames = { "System.Text.Json", "Newtonsoft.Json", "manywire-net", "manywire-net", "Google.Protobuf" };
        public static readonly string[] TypedFormats = { "json", "json", "msgpack", "msgpack-array", "protobuf" };

        private readonly Process process;
        private readonly Stream input;
        private readonly Stream output;
        private readonly Task<string> errors;

        /// <summary>Starts the lane. <c>out-typed</c> is the folder of the lane with types of the sample.</summary>
        public LaneProcess(string folder = "out")
        {
            string lane = Path.Combine(AppDomain.CurrentDomain.BaseDirectory, "..", folder, "Lane.dll");
            // The program that runs this test is the host of the runtime.
            var start = new ProcessStartInfo(Process.GetCurrentProcess().MainModule.FileName, lane)
            {
                UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
            };
            process = Process.Start(start);
            input = process.StandardInput.BaseStream;
            output = process.StandardOutput.BaseStream;
            errors = process.StandardError.ReadToEndAsync();
        }

        public static byte[] Utf8(string text)
        {
            return Encoding.UTF8.GetBytes(text);
        }

        public static byte[] Framed(string content)
        {
            var stream = new MemoryStream();
            Frames.Write(stream, Utf8(content));
            return stream.ToArray();
        }

        public byte[] Receive()
        {
            return Frames.Read(output) ?? throw new Exception($"the lane died: {errors.Result}");
        }

        /// <summary>Returns the head of the response.</summary>
        public Dictionary<string, object> Ask(string request, params byte[][] frames)
        {
            Frames.Write(input, Utf8(request));
            foreach (byte[] frame in frames)
            {
                Frames.Write(input, frame);
            }
            input.Flush();
            return (Dictionary<string, object>)new SystemTextJson().Decode(Receive());
        }

        /// <summary>Returns the response to a request that must succeed.</summary>
        public Dictionary<string, object> Get(string request, params byte[][] frames)
        {
            Dictionary<string, object> answer = Ask(request, frames);
            return answer.ContainsKey("ok") ? (Dictionary<string, object>)answer["ok"] : throw new Exception($"{request}: {Error(answer)}");
        }

        /// <summary>Returns the message of an error, or null.</summary>
        public static string Error(Dictionary<string, object> answer)
        {
            return answer.TryGetValue("error", out object error) ? (string)error : null;
        }

        /// <summary>Returns the error of a request that must fail.</summary>
        public string Refusal(string request, params byte[][] frames)
        {
            return Error(Ask(request, frames)) ?? throw new Exception($"no error: {request}");
        }

        public Dictionary<string, object> Load(int subject, params byte[][] payloads)
        {
            return Ask($"{{\"verb\":\"load\",\"subject\":{subject},\"payloads\":{payloads.Length}}}", payloads);
        }

        public string[] Digests(int subject)
        {
            return ((List<object>)Get($"{{\"verb\":\"digest\",\"subject\":{subject}}}")["digests"]).Cast<string>().ToArray();
        }

        /// <summary>Returns the output of a subject; the error is set instead if there is one.</summary>
        public byte[][] Encode(int subject, out string error)
        {
            Dictionary<string, object> answer = Ask($"{{\"verb\":\"encode\",\"subject\":{subject}}}");
            error = Error(answer);
            if (error != null)
            {
                return new byte[0][];
            }
            long count = (long)((Dictionary<string, object>)answer["ok"])["payloads"];
            return Enumerable.Range(0, (int)count).Select(_ => Receive()).ToArray();
        }

        /// <summary>Sends bytes and closes the input. Returns the status, and what the lane wrote.</summary>
        public int End(byte[] raw, out byte[] written, out string messages)
        {
            try
            {
                input.Write(raw, 0, raw.Length);
                input.Close();
            }
            catch (IOException)
            {
                // A lane that has ended does not read the rest.
            }
            var rest = new MemoryStream();
            output.CopyTo(rest);
            written = rest.ToArray();
            messages = errors.Result;
            process.WaitForExit();
            return process.ExitCode;
        }

        public void Dispose()
        {
            if (!process.HasExited)
            {
                process.Kill();
            }
            process.Dispose();
        }
    }
}
