import FlowPlatform

/// Provides the lines of standard input as a stream.
enum InputLines {
  /// Returns the lines as they are read. A separate thread reads them, because reading blocks. Throws an error if the
  /// system cannot create a thread.
  static func standardInput() throws(SystemError) -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    try DetachedThread.start(name: "input") {
      while let line = readLine() {
        if case .terminated = continuation.yield(line) { return }
      }
      continuation.finish()
    }
    return stream
  }
}
