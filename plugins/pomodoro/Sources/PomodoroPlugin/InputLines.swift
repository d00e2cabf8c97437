import FlowPlatform

/// Lines of standard input as a stream.
enum InputLines {
  /// Reads on a separate thread, since reading blocks; the thread ends with the input or the process. Throws an error
  /// if the system cannot create a thread.
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
