using System;

namespace Manywire.Lane
{
    /// <summary>Converts points in time to and from the type of the runtime, which has steps of 100 ns.</summary>
    public static class Times
    {
        private const long UnixEpochTicks = 621355968000000000;
        private const uint NanosecondsPerTick = 100;

        public static DateTimeOffset Time(Timestamp time)
        {
            if (time.Nanoseconds % NanosecondsPerTick != 0)
            {
                throw new Refusal($"a DateTimeOffset has steps of {NanosecondsPerTick} ns, and the point in time has {time.Nanoseconds} ns");
            }
            try
            {
                long ticks = checked(UnixEpochTicks + time.Seconds * TimeSpan.TicksPerSecond + time.Nanoseconds / NanosecondsPerTick);
                return new DateTimeOffset(ticks, TimeSpan.Zero);
            }
            catch (Exception error) when (error is OverflowException || error is ArgumentOutOfRangeException)
            {
                throw new Refusal($"{time.Seconds} seconds since 1970 are beyond the years of a DateTimeOffset");
            }
        }

        public static Timestamp Timestamp(DateTimeOffset time)
        {
            long ticks = time.UtcTicks - UnixEpochTicks;
            // Rounded down, also before 1970.
            long seconds = Math.DivRem(ticks, TimeSpan.TicksPerSecond, out long rest);
            if (rest < 0)
            {
                seconds--;
                rest += TimeSpan.TicksPerSecond;
            }
            return new Timestamp(seconds, (uint)rest * NanosecondsPerTick);
        }
    }
}
