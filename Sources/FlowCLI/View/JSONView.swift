import FlowCommandKit
import FlowEngine
import FlowModel

/// Writes the events of a run as JSON, with one object per line.
struct JSONView: LineObserver {
  /// The number of bytes after which the text of several parts is written.
  private static let flushBytes = 1 << 18

  func receive(_ events: [RunEvent]) { receive([.events(events)]) }

  func receive(_ parts: [RunPart]) {
    var bytes: [UInt8] = []
    for part in parts {
      switch part {
      case .events(let events):
        for event in events {
          JSONText.append(.object(event.value), to: &bytes)
          bytes.append(UInt8(ascii: "\n"))
        }
      case .lines(let lines): lines.appendJSON(to: &bytes)
      }
      guard bytes.count >= Self.flushBytes else { continue }
      StandardOutput.write(bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    if !bytes.isEmpty { StandardOutput.write(bytes) }
  }
}
