import FlowCommandKit
import FlowEngine
import FlowModel

/// A run as one JSON object a line.
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
