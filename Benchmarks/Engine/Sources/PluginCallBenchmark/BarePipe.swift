import FlowModel
import Foundation

/// A program that is connected by two pipes and called with the simplest possible communication.
final class BarePipe {
  private let process = Process()
  private let toChild = Pipe()
  private let fromChild = Pipe()
  private let line: [UInt8]
  private var isChecked = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  init(_ command: [String], folder: String, environment: [String: String] = [:]) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = URL(filePath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = toChild
    process.standardOutput = fromChild
    try process.run()
    let name = folder.split(separator: "/").last!
    line = Array(
      (#"{"jsonrpc":"2.0","id":7,"method":"run","params":{"action":"\#(name).text","inputs":{"text":"hello"},"#
        + #""env":{},"attempt":1,"remainingMilliseconds":null}}"# + "\n").utf8)
  }

  /// Kills the program without waiting for its end. Foundation watches it on the thread that started it, which an
  /// asynchronous caller leaves, so waiting might never end.
  deinit { kill(process.processIdentifier, SIGKILL) }

  /// Writes the line and waits for the answer. Ends the benchmark if the answer is not that of the plugin.
  func roundTrip() throws {
    let sent = line.withUnsafeBytes { write(toChild.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count) }
    precondition(sent == line.count)
    var count = 0
    repeat {
      let got = buffer.withUnsafeMutableBytes {
        read(fromChild.fileHandleForReading.fileDescriptor, $0.baseAddress! + count, $0.count - count)
      }
      precondition(got > 0)
      count += got
    } while buffer[count - 1] != UInt8(ascii: "\n")
    if !isChecked {
      let answer = try JSONText.parse(buffer[..<count])
      let outputs = answer.objectValue?["result"]?.objectValue?["outputs"]?.objectValue
      precondition(["HELLO!", "hello!"].contains(outputs?["text"]?.stringValue), "\(answer)")
      isChecked = true
    }
  }
}
