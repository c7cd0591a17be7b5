// A subject with its payloads: their bytes, and the values that the subject read from them.
package manywire.lane

import manywire.lane.http.Gzip

final class Loaded(subject: Subject, schema: Schema, val payloads: IndexedSeq[Array[Byte]]) {
  val coder: Coder = subject.prepare(schema)

  val values: IndexedSeq[Any] = payloads.map { payload =>
    coder.check(payload)
    coder.decode(payload)
  }

  private var isFaithful = false

  def digests: Seq[String] = values.map(value => Digest.of(coder.plain(value)))

  /** Encodes each value. Throws if the subject reads another value from the bytes that it wrote. */
  def encode(): IndexedSeq[Array[Byte]] = {
    val written = values.map(coder.encode)
    if (!isFaithful) {
      values.zip(written).foreach { case (value, bytes) => compare(value, bytes) }
      isFaithful = true
    }
    written
  }

  private def compare(value: Any, written: Array[Byte]): Unit = {
    val expected = Digest.withExtensions(coder.plain(value))
    if (Digest.withExtensions(coder.plain(coder.decode(written))) != expected) {
      throw new Refusal(s"${subject.library} ${subject.version} reads another value from the bytes that it wrote")
    }
  }

  /** Returns an operation and its inputs. */
  def operation(isEncode: Boolean, isPacked: Boolean): (Meter.Operation, IndexedSeq[Any]) = {
    if (isEncode && !isFaithful) {
      encode()
    }
    (isEncode, isPacked) match {
      case (true, false) => (coder.encode(_), values)
      case (true, true) => (value => Gzip.deflate(coder.encode(value)), values)
      case (false, false) => (payload => coder.decode(payload.asInstanceOf[Array[Byte]]), payloads)
      case (false, true) =>
        (packed => coder.decode(Gzip.inflate(packed.asInstanceOf[Array[Byte]])), payloads.map(Gzip.deflate))
    }
  }
}
