using System;
using System.Collections.Generic;
using System.Numerics;

namespace Manywire.Lane.Test
{
    /// <summary>Compares canonical digests with those that another program computed from the forms in CONTRACT.md.</summary>
    public static class DigestTest
    {
        private static void Is(string form, object value)
        {
            Check.Equal(Expected.OfForm(form), Digest.Of(value), form);
        }

        public static void MapsAreSortedAndNullEntriesAreLeftOut()
        {
            var map = new Dictionary<string, object> { ["b"] = new List<object> { true, null, -1L }, ["absent"] = null, ["a"] = 2.0 };
            Check.Equal("753eddbe36da30a04f154a5ed778ff5998296c28ca51dddde331745cdb105fea", Digest.Of(map), "another program");
            Is("m2:s1:ai2;s1:ba3:tni-1;", map);
        }

        public static void EqualNumbersOfDifferentTypesHaveTheSameDigest()
        {
            Check.Equal("3e230c337144fa90267e8cb99b440c8b1f28f6b38db35fa4bdae13862a67e947", Digest.Of(1.5), "another program");
            Is("i0;", -0.0);
            Is("i2;", 2f);
            Is("i18446744073709551615;", ulong.MaxValue);
            Is("i9223372036854775808;", 9223372036854775808.0);
            Is("i-9223372036854775808;", -9223372036854775808.0);
            Is("i18446744073709551615;", new BigInteger(ulong.MaxValue));
            Is("d\u0043\u00f0\u0000\u0000\u0000\u0000\u0000\u0000", 18446744073709551616.0);
            Is("d\u0043\u00f0\u0000\u0000\u0000\u0000\u0000\u0000", new BigInteger(ulong.MaxValue) + 1);
            Is("d\u007f\u00f8\u0000\u0000\u0000\u0000\u0000\u0000", -double.NaN);
        }

        public static void TextBytesAndTimesDiffer()
        {
            Is("s6:\u00c3\u00a9\u00f0\u009f\u0098\u0080", "é😀");
            Is("b2:ab", new byte[] { (byte)'a', (byte)'b' });
            Is("T-1.999000000;", new Timestamp(-1, 999000000));
        }

        public static void KeysBecomeTextAndTheLastOfEqualKeysCounts()
        {
            var map = new MixedMap
            {
                new KeyValuePair<object, object>(5L, "x"), new KeyValuePair<object, object>(true, "y"),
                new KeyValuePair<object, object>("5", "z"), new KeyValuePair<object, object>("true", null),
            };
            Is("m1:s1:5s1:z", map);
        }

        public static void AnErrorNamesAValueWithoutADigest()
        {
            Check.Contains("an extension (MessagePack 5) has no digest", Check.Throws(() => Digest.Of(new Extension(5, new byte[1])), "an extension"));
            Check.Contains("as a key", Check.Throws(() => Digest.Of(new MixedMap { new KeyValuePair<object, object>(null, 1L) }), "a key"));
            Check.Throws(() => Digest.Of("\ud800"), "a lone surrogate");
        }
    }
}
