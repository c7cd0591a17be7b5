// Writes the messages of ScalaPB for the schema of the payloads.
package manywire.generate

import com.google.protobuf.DescriptorProtos.{FileDescriptorProto, FileDescriptorSet}
import com.google.protobuf.UnknownFieldSet
import com.google.protobuf.compiler.PluginProtos.{CodeGeneratorRequest, CodeGeneratorResponse}
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

object Messages {
  private val schema = "manywire.proto"

  /** The options of ScalaPB in the options of a file, and in them `flat_package`. */
  private val optionsField = 1020
  private val flatPackageField = 2

  /** Writes the sources of the messages below a folder. Returns their paths, none if there is no schema. */
  def write(descriptors: Array[Byte], folder: Path): Seq[Path] = {
    val files = FileDescriptorSet.parseFrom(descriptors).getFileList.asScala.toVector
    if (files.isEmpty) {
      Seq.empty
    } else {
      val request = CodeGeneratorRequest.newBuilder.addFileToGenerate(schema)
      files.foreach(file => request.addProtoFile(if (file.getName == schema) flat(file) else google(file)))
      val response = CodeGeneratorResponse.parseFrom(scalapb.ScalaPbCodeGenerator.run(request.build.toByteArray))
      if (response.hasError) {
        throw new IllegalArgumentException(s"ScalaPB refuses the schema: ${response.getError}")
      }
      response.getFileList.asScala.toVector.map { file =>
        val path = folder.resolve(file.getName)
        Files.createDirectories(path.getParent)
        Files.writeString(path, file.getContent)
      }
    }
  }

  /** Names the package of Google's own messages, which are in the library. The descriptors have no options. */
  private def google(file: FileDescriptorProto): FileDescriptorProto =
    file.toBuilder.setOptions(file.getOptions.toBuilder.setJavaPackage("com.google.protobuf")).build

  /** Leaves the name of the file out of the package. */
  private def flat(file: FileDescriptorProto): FileDescriptorProto = {
    def field(number: Int, value: UnknownFieldSet.Field) =
      UnknownFieldSet.newBuilder.addField(number, value).build
    val flatPackage = field(flatPackageField, UnknownFieldSet.Field.newBuilder.addVarint(1).build)
    val options = field(optionsField, UnknownFieldSet.Field.newBuilder.addLengthDelimited(flatPackage.toByteString).build)
    file.toBuilder.setOptions(file.getOptions.toBuilder.mergeUnknownFields(options)).build
  }
}
