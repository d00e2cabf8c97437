import FlowCLI
import Foundation

/// A handwritten program that returns the same answer as the plugin. It reads a line, extracts the text and the id, and
/// writes a line.
///
/// The program does only what is necessary. It checks nothing and handles neither other messages nor errors. In Python
/// and Swift it uses the JSON parser of the standard library, as most authors would. In sh, which has none, it cuts the
/// line. The Swift program is optimized.
struct BareProgram {
  /// The command that starts the program.
  let command: [String]

  init(_ language: PluginTemplate.Language, in folder: String) throws {
    let name: String
    let text: String
    switch language {
    case .python: (name, text) = ("bare.py", Self.python)
    case .node: (name, text) = ("bare.js", Self.node)
    case .sh: (name, text) = ("bare.sh", Self.shell)
    case .swift: (name, text) = ("bare.swift", Self.swift)
    }
    let file = folder + "/" + name
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    switch language {
    case .python: command = ["python3", file]
    case .node: command = ["node", file]
    case .sh: command = ["sh", file]
    case .swift:
      let compiler = Process()
      compiler.executableURL = URL(filePath: "/usr/bin/env")
      compiler.arguments = ["swiftc", "-O", "-o", folder + "/bare", file]
      try compiler.run()
      compiler.waitUntilExit()
      command = [folder + "/bare"]
    }
  }

  private static let python = #"""
    import json
    import sys

    for line in sys.stdin:
        request = json.loads(line)
        text = request["params"]["inputs"]["text"].upper() + "!"
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"outputs": {"text": text}}}), flush=True)

    """#

  private static let node = #"""
    const lines = require("node:readline").createInterface({ input: process.stdin });
    lines.on("line", (line) => {
      const request = JSON.parse(line);
      const text = request.params.inputs.text.toUpperCase() + "!";
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, result: { outputs: { text } } }) + "\n");
    });

    """#

  private static let shell = #"""
    while IFS= read -r line; do
      id=${line#*'"id":'}
      text=${line#*'"text":"'}
      printf '{"jsonrpc":"2.0","id":%s,"result":{"outputs":{"text":"%s!"}}}\n' "${id%%,*}" "${text%%\"*}"
    done

    """#

  private static let swift = #"""
    #if canImport(FoundationEssentials)
      import FoundationEssentials
    #else
      import Foundation
    #endif
    #if canImport(Glibc)
      import Glibc
    #endif

    struct Request: Decodable {
      struct Parameters: Decodable { var inputs: Inputs }
      struct Inputs: Decodable { var text: String }
      var id: Int
      var params: Parameters
    }

    struct Answer: Encodable {
      struct Result: Encodable { var outputs: Outputs }
      struct Outputs: Encodable { var text: String }
      var jsonrpc = "2.0"
      var id: Int
      var result: Result
    }

    let decoder = JSONDecoder()
    let encoder = JSONEncoder()
    while let line = readLine() {
      let request = try decoder.decode(Request.self, from: Data(line.utf8))
      let text = request.params.inputs.text.uppercased() + "!"
      let answer = Answer(id: request.id, result: .init(outputs: .init(text: text)))
      print(String(decoding: try encoder.encode(answer), as: UTF8.self))
      fflush(stdout)
    }

    """#
}
