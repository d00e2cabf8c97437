import Foundation

/// Lines of standard input as a stream.
enum InputLines {
  /// Reads on a thread of its own, since reading blocks; the thread ends with the input or the process.
  static func standardInput() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() {
        if case .terminated = continuation.yield(line) { return }
      }
      continuation.finish()
    }
    return stream
  }
}
