extension Descriptor {
  /// The result of a read.
  package enum Received {
    /// This number of bytes was read into the buffer.
    case bytes(Int)
    /// No data is available yet.
    case nothing
    /// The other end is closed or broken.
    case end
  }

  /// Reads available data, up to the size of the buffer; a blocking descriptor waits for the first byte.
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

  /// The result of a non-blocking write.
  package enum Sent {
    /// This number of bytes was written, possibly 0.
    case bytes(Int)
    /// No process reads the other end.
    case closed
  }

  /// Writes as much as is accepted now.
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
