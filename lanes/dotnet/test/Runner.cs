using System;
using System.Diagnostics;
using System.Linq;
using System.Reflection;

namespace Manywire.Lane.Test
{
    /// <summary>The reason why a test did not run.</summary>
    public sealed class Skipped : Exception
    {
        public Skipped(string reason) : base(reason)
        {
        }
    }

    /// <summary>Runs every public static method without parameters of the classes named …Test.</summary>
    public static class Runner
    {
        public static int Main(string[] names)
        {
            int passed = 0, skipped = 0, failed = 0;
            foreach (Type type in Assembly.GetExecutingAssembly().GetTypes().Where(type => type.Name.EndsWith("Test")).OrderBy(type => type.Name))
            {
                foreach (MethodInfo test in type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly).Where(method => method.GetParameters().Length == 0))
                {
                    string name = $"{type.Name}.{test.Name}";
                    if (names.Length > 0 && !names.Contains(name) && !names.Contains(type.Name))
                    {
                        continue;
                    }
                    Stopwatch watch = Stopwatch.StartNew();
                    string result;
                    try
                    {
                        test.Invoke(null, null);
                        passed++;
                        result = "ok";
                    }
                    catch (TargetInvocationException error) when (error.InnerException is Skipped)
                    {
                        skipped++;
                        result = $"skipped: {error.InnerException.Message}";
                    }
                    catch (TargetInvocationException error)
                    {
                        failed++;
                        result = $"FAILED\n{error.InnerException}";
                    }
                    Console.WriteLine($"{name} ({watch.ElapsedMilliseconds} ms): {result}");
                }
            }
            Console.WriteLine($"{passed} passed, {skipped} skipped, {failed} failed");
            return failed == 0 && passed > 0 ? 0 : 1;
        }
    }

    /// <summary>Assertions.</summary>
    public static class Check
    {
        public static void True(bool condition, string words)
        {
            if (!condition)
            {
                throw new Exception(words);
            }
        }

        public static void Equal(object expected, object actual, string words)
        {
            True(Equals(expected, actual), $"{words}: expected {expected}, found {actual}");
        }

        public static void Contains(string part, string text)
        {
            True(text != null && text.Contains(part), $"expected \"{part}\" in: {text}");
        }

        /// <summary>Returns the message of the error that an action must throw.</summary>
        public static string Throws(Action action, string words)
        {
            try
            {
                action();
            }
            catch (Exception error)
            {
                return error.Message;
            }
            throw new Exception($"no error: {words}");
        }
    }
}
