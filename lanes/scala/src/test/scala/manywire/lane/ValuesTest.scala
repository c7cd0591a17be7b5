// Values that JSON cannot represent, and numbers, from bytes written by hand by each format's specification.
package manywire.lane

import manywire.lane.LaneProcess.{bytes, utf8}
import org.junit.jupiter.api.Assertions.{assertArrayEquals, assertEquals, assertTrue}
import org.junit.jupiter.api.Test

class ValuesTest {
  private val zeros = "000000000000"

  /** A format, a payload, and the canonical form of its value. */
  private val cases = Seq(
    ("json", utf8("18446744073709551615"), utf8("i18446744073709551615;")),
    ("json", utf8("18446744073709551616"), utf8("d") ++ bytes("43f0" + zeros)),
    ("json", utf8("-9223372036854775808"), utf8("i-9223372036854775808;")),
    ("json", utf8("1e300"), utf8("d") ++ bytes("7e37e43c8800759c")),
    ("json", utf8("[-0.0,-0,2.0,1e3,0.5]"), utf8("a5:i0;i0;i2;i1000;d") ++ bytes("3fe0" + zeros)),
    ("json", utf8("""{"b":null,"aa":1,"é":true,"a":[]}"""), utf8("m3:s1:aa0:s2:aai1;s2:ét")),
    ("json", utf8("""{"a":1,"a":2}"""), utf8("m1:s1:ai2;")),
    ("msgpack", bytes("ca3e000000"), utf8("d") ++ bytes("3fc0" + zeros)),
    ("msgpack", bytes("cb4000" + zeros), utf8("i2;")),
    ("msgpack", bytes("cb8000" + zeros), utf8("i0;")),
    ("msgpack", bytes("cfffffffffffffffff"), utf8("i18446744073709551615;")),
    ("msgpack", bytes("d38000000000000000"), utf8("i-9223372036854775808;")),
    ("msgpack", bytes("82a16101a16102"), utf8("m1:s1:ai2;")),
    ("cbor", bytes("420102"), utf8("b2:") ++ bytes("0102")),
    ("cbor", bytes("5f41014102ff"), utf8("b2:") ++ bytes("0102")),
    ("cbor", bytes("7f61616162ff"), utf8("s2:ab")),
    ("cbor", bytes("bf616101ff"), utf8("m1:s1:ai1;")),
    ("cbor", bytes("a2616101616102"), utf8("m1:s1:ai2;")),
    ("cbor", bytes("a105f5"), utf8("m1:s1:5t")),
    ("cbor", bytes("c101"), utf8("T1.0;")),
    ("cbor", bytes("c1fbbff8" + zeros), utf8("T-2.500000000;")),
    ("cbor", bytes("c074313937302d30312d30315430303a30303a30315a"), utf8("T1.0;")),
    ("cbor", bytes("d903e9a201202801"), utf8("T-1.1;")),
    ("cbor", bytes("c249010000000000000000"), utf8("d") ++ bytes("43f0" + zeros)),
    ("cbor", bytes("c340"), utf8("i-1;")),
    ("cbor", bytes("c482211819"), utf8("d") ++ bytes("3fd0" + zeros)),
    ("cbor", bytes("c4820119ffff"), utf8("i655350;")),
    ("cbor", bytes("c4821a7fffffff01"), utf8("d") ++ bytes("7ff0" + zeros)),
    ("cbor", bytes("1bffffffffffffffff"), utf8("i18446744073709551615;")),
    ("cbor", bytes("3bffffffffffffffff"), utf8("d") ++ bytes("c3f0" + zeros)),
    ("cbor", bytes("f93c00"), utf8("i1;")),
    ("cbor", bytes("fb8000" + zeros), utf8("i0;")),
    ("cbor", bytes("f97e00"), utf8("d") ++ bytes("7ff8" + zeros)),
    ("cbor", bytes("faff800000"), utf8("d") ++ bytes("fff0" + zeros))
  )

  /** The same, of which circe has no values, so that msgpack-core-circe refuses them with these words. */
  private val beyondJson = Seq(
    (bytes("c4020102"), utf8("b2:") ++ bytes("0102"), "bytes have no form"),
    (bytes("d6ff00000001"), utf8("T1.0;"), "an extension has no form"),
    (bytes("d7ff77359400514b6770"), utf8("T1363896176.500000000;"), "an extension has no form"),
    (bytes("c70cff00000001ffffffffffffffff"), utf8("T-1.1;"), "an extension has no form"),
    (bytes("cb7ff8000000000001"), utf8("d") ++ bytes("7ff8" + zeros), "NaN has no form"),
    (bytes("cbfff0" + zeros), utf8("d") ++ bytes("fff0" + zeros), "-Infinity has no form"),
    (bytes("8105c3"), utf8("m1:s1:5t"), "a key of type INTEGER has no form")
  )

  private def check(lane: LaneProcess, index: Int, payload: Array[Byte], form: Array[Byte], name: String): Unit = {
    assertEquals(None, lane.load(index, Seq(payload)), name)
    assertEquals(Right(Vector(Expected.sha256(form))), lane.digest(index), name)
    val written = lane.encode(index).fold(error => throw new AssertionError(s"$name: $error"), identity)
    assertEquals(None, lane.load(index, written), name)
    assertEquals(Right(Vector(Expected.sha256(form))), lane.digest(index), s"$name, written")
  }

  @Test
  def valuesHaveTheDigestOfTheContract(): Unit = LaneProcess.run { lane =>
    for {
      (subject, index) <- lane.subjects.zipWithIndex
      (format, payload, form) <- cases if format == subject.format
    } check(lane, index, payload, form, s"${subject.name} ${LaneProcess.hex(payload)}")
  }

  @Test
  def valuesBeyondJsonHaveADigestOrANamedError(): Unit = LaneProcess.run { lane =>
    for {
      (subject, index) <- lane.subjects.zipWithIndex if subject.format == "msgpack"
      (payload, form, words) <- beyondJson
    } {
      val name = s"${subject.name} ${LaneProcess.hex(payload)}"
      if (subject.library == "msgpack-core-circe") {
        val error = lane.load(index, Seq(payload))
        assertTrue(error.exists(_.contains(words)), s"$name: $error")
      } else {
        check(lane, index, payload, form, name)
      }
    }
  }

  @Test
  def extensionsAreKeptAndHaveNoDigest(): Unit = LaneProcess.run { lane =>
    Seq(
      ("msgpack-core msgpack", "92d405aac0", "MessagePack 5"),
      ("borer-core cbor", "82d82a01f6", "CBOR tag 42"),
      ("borer-core cbor", "81f7", "CBOR undefined"),
      ("borer-core cbor", "81e3", "CBOR simple value 3")
    ).foreach { case (name, hex, extension) =>
      val index = lane.subjects.indexWhere(_.name == name)
      assertEquals(None, lane.load(index, Seq(bytes(hex))), hex)
      assertEquals(Left(s"an extension ($extension) has no digest"), lane.digest(index))
      assertEquals(hex, LaneProcess.hex(lane.encode(index).toOption.get.head))
    }
  }

  @Test
  def circeKeepsTheTextOfNumbersAndTheOrderOfKeys(): Unit = LaneProcess.run { lane =>
    val text = utf8("""{"z":2.0,"a":-0.0,"m":-0,"b":1e400,"f":0.12345678901234567890,"c":18446744073709551616}""")
    lane.subjects.zipWithIndex.filter(_._1.library.startsWith("circe")).foreach { case (subject, index) =>
      assertEquals(None, lane.load(index, Seq(text)), subject.name)
      assertArrayEquals(text, lane.encode(index).toOption.get.head, subject.name)
    }
  }
}
