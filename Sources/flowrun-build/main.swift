import FlowBuild
import Foundation

// Usage: flowrun-build OUTPUT KIND [--own-interface FILE | --interface FILE | --plugin-file FILE | --product NAME |
//   --workflow FILE]…
// KIND is library or program. FlowrunBuildPlugin calls this program.
var words = CommandLine.arguments.dropFirst()
let output = words.popFirst() ?? ""
var request = PackageBuild.Request()
request.isLibrary = words.popFirst() == "library"
while let option = words.popFirst(), let file = words.popFirst() {
  switch option {
  case "--own-interface": request.ownInterfaces.append(file)
  case "--interface": request.interfaces.append(file)
  case "--plugin-file": request.pluginFiles.append(file)
  case "--product": request.products.append(file)
  default: request.workflows.append(file)
  }
}
let build = PackageBuild(request, kinds: BuiltInFileKinds.all) {
  try? [UInt8](Data(contentsOf: URL(fileURLWithPath: $0)))
}
FileHandle.standardError.write(Data(build.messages.utf8))
guard let source = build.source else { exit(1) }
do {
  try Data(source.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
} catch {
  FileHandle.standardError.write(Data("\(output):1:1: error: the file cannot be written: \(error)\n".utf8))
  exit(1)
}
