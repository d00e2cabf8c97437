import CFlowProcess
import FlowModel
import FlowPluginKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One output of a child: the pipe, and what has come through it.
struct OutputPipe {
  private(set) var readingEnd: Int32
  private(set) var writingEnd: Int32
  private(set) var bytes: [UInt8] = []

  private static let chunkBytes = 64 << 10

  /// A pipe; throws an ``ActionError`` `spawn-failed` when there is none to be had.
  init() throws {
    var ends: (Int32, Int32) = (-1, -1)
    let failure = withUnsafeMutableBytes(of: &ends) { flow_pipe($0.bindMemory(to: Int32.self).baseAddress) }
    guard failure == 0 else {
      throw ActionError("spawn-failed", "cannot make a pipe: \(String(cString: strerror(failure)))", isRetryable: true)
    }
    (readingEnd, writingEnd) = ends
  }

  /// Whether more may come.
  var isOpen: Bool { readingEnd >= 0 }

  /// Takes what has come: all of it, without waiting for more, or one piece, where something has come or the end has.
  /// Ends at the limit of a step's output.
  mutating func read(everything: Bool) {
    if everything, isOpen { _ = fcntl(readingEnd, F_SETFL, O_NONBLOCK) }
    while isOpen, bytes.count <= Limits.outputBytes {
      let count = withUnsafeTemporaryAllocation(byteCount: Self.chunkBytes, alignment: 1) { buffer in
        let count = systemRead(readingEnd, buffer.baseAddress, buffer.count)
        if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
        return count
      }
      if count == 0 { closeReadingEnd() }
      if count < 0, errno == EINTR { continue }
      if count <= 0 || !everything { return }
    }
  }

  /// The child has the other end now.
  mutating func closeWritingEnd() {
    if writingEnd >= 0 { systemClose(writingEnd) }
    writingEnd = -1
  }

  private mutating func closeReadingEnd() {
    if readingEnd >= 0 { systemClose(readingEnd) }
    readingEnd = -1
  }

  /// Closes what is still open.
  mutating func close() {
    closeWritingEnd()
    closeReadingEnd()
  }
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, buffer, count)
}

private func systemClose(_ file: Int32) { _ = close(file) }
