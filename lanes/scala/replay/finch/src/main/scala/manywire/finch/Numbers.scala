// Reads every number of a value, as the subjects of the lane do. circe keeps a number with a point as text until then.
package manywire.finch

import io.circe.{Json, JsonNumber, JsonObject}

object Numbers {

  /** Reads the numbers of a value, and returns the value. */
  def read(json: Json): Json = {
    json.foldWith(Reader)
    json
  }

  private object Reader extends Json.Folder[Double] {
    def onNull: Double = 0

    def onBoolean(value: Boolean): Double = 0

    def onNumber(value: JsonNumber): Double = value.toDouble

    def onString(value: String): Double = 0

    def onArray(value: Vector[Json]): Double = {
      var sum = 0.0
      val items = value.iterator
      while (items.hasNext) sum += items.next().foldWith(this)
      sum
    }

    def onObject(value: JsonObject): Double = {
      var sum = 0.0
      val entries = value.values.iterator
      while (entries.hasNext) sum += entries.next().foldWith(this)
      sum
    }
  }
}
