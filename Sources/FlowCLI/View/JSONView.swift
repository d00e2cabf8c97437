import FlowCommandKit
import FlowEngine
import FlowModel

/// Writes the events of a run as JSON, one object per line.
struct JSONView: RunObserver {
  func receive(_ events: [RunEvent]) {
    var bytes: [UInt8] = []
    for event in events {
      JSONText.append(.object(event.value), to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
    StandardOutput.write(bytes)
  }
}
