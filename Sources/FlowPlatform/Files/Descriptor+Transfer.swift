extension Descriptor {
  /// The result of a read.
  package enum Received {
    /// This many bytes stand in the buffer.
    case bytes(Int)
    /// Nothing is there yet.
    case nothing
    /// The other end is closed, or broken.
    case end
  }

  /// Reads what is there, at most what the buffer holds; one that is set to waits for the first byte.
  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Received {
    while true {
      let count = read(number, buffer.baseAddress, buffer.count)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .nothing
      default: return .end
      }
    }
  }

  /// The result of a write that does not wait.
  package enum Sent {
    /// This many bytes were taken, perhaps none.
    case bytes(Int)
    /// There is no reader any more.
    case closed
  }

  /// Writes as much as is taken now.
  package func send(_ bytes: ArraySlice<UInt8>) -> Sent {
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let count = write(number, buffer.baseAddress! + done, buffer.count - done)
        if count >= 0 {
          done += count
        } else if errno == EAGAIN || errno == EWOULDBLOCK {
          break
        } else if errno != EINTR {
          return .closed
        }
      }
      return .bytes(done)
    }
  }
}
