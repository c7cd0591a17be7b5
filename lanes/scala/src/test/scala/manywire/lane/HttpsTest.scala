// The client over TLS: a certificate that the runtime trusts is accepted, and any other is an error.
package manywire.lane

import com.sun.net.httpserver.{HttpsConfigurator, HttpsServer}
import java.io.File
import java.net.{InetAddress, InetSocketAddress}
import java.nio.file.{Files, Path}
import java.security.KeyStore
import javax.net.ssl.{KeyManagerFactory, SSLContext}
import manywire.lane.LaneProcess.utf8
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

class HttpsTest {
  private val password = "changeit"

  private def fetch(port: Int): String =
    s"""{"verb":"fetch","subject":0,"url":"https://localhost:$port/","nonce":null,"headers":[],"decode":true,""" +
      """"connections":1,"rate":null,"requests":3,"duration_ms":60000,"timeout_ms":10000}"""

  @Test
  def certificatesAreChecked(@TempDir folder: Path): Unit = {
    val store = folder.resolve("store.p12")
    makeCertificate(store.toFile)
    val server = serve(store)
    try {
      val port = server.getAddress.getPort
      val trust = Seq(s"-Djavax.net.ssl.trustStore=$store", s"-Djavax.net.ssl.trustStorePassword=$password")
      LaneProcess.run(trust) { lane =>
        assertEquals(None, lane.load(0, Seq(utf8("1"))))
        val result = lane.get(fetch(port))
        assertEquals((3L, 0L), (result.whole("requests", 100), result.whole("errors", 100)), result("error").noSpaces)
      }
      LaneProcess.run { lane =>
        assertEquals(None, lane.load(0, Seq(utf8("1"))))
        val error = lane.error(fetch(port))
        assertTrue(error.exists(_.contains("unable to find valid certification path")), error.toString)
      }
    } finally server.stop(0)
  }

  private def makeCertificate(store: File): Unit = {
    val command = Seq(
      System.getProperty("java.home") + "/bin/keytool", "-genkeypair", "-alias", "localhost", "-keyalg", "EC",
      "-dname", "CN=localhost", "-ext", "SAN=dns:localhost", "-validity", "2", "-storetype", "PKCS12",
      "-keystore", store.getPath, "-storepass", password
    )
    val output = File.createTempFile("keytool", ".txt", store.getParentFile)
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).redirectOutput(output).start()
    assertEquals(0, process.waitFor(), Files.readString(output.toPath))
  }

  private def serve(store: Path): HttpsServer = {
    val keys = KeyStore.getInstance(store.toFile, password.toCharArray)
    val factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    factory.init(keys, password.toCharArray)
    val context = SSLContext.getInstance("TLS")
    context.init(factory.getKeyManagers, null, null)
    val server = HttpsServer.create(new InetSocketAddress(InetAddress.getByName("localhost"), 0), 0)
    server.setHttpsConfigurator(new HttpsConfigurator(context))
    server.createContext(
      "/",
      exchange => {
        exchange.sendResponseHeaders(200, 1)
        exchange.getResponseBody.write('1')
        exchange.close()
      }
    )
    server.start()
    server
  }
}
