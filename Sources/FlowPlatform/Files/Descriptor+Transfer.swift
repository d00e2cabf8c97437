extension Descriptor {
  /// The result of reading from a descriptor.
  package enum Received {
    /// This number of bytes was read into the buffer.
    case bytes(Int)
    /// No data is available at the moment.
    case nothing
    /// The other end was closed, or an error occurred.
    case end
  }

  /// Reads available data, up to the size of the buffer. A blocking descriptor waits for the first byte.
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

  /// The result of writing to a descriptor without blocking.
  package enum Sent {
    /// This number of bytes was written, possibly 0.
    case bytes(Int)
    /// The other end was closed, or another error occurred.
    case closed
  }

  /// Writes as many of the bytes as the descriptor accepts without blocking.
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
