import FlowHistory
import FlowKit
import FlowTestKit
import Foundation
import LocationPlugin
import NotificationPlugin
import PreferencesPlugin
import RouterPlugin
import SyncCloud
import SyncCore
import SyncEngine
import SyncKit
import Testing
import UserInterfacePlugin

// Names from Swift, Foundation, Testing, SwiftUI and Combine, used as in an app. None of them may refer to a type of
// flowrun.

// Proof of safety: `Upload` adds no state to its superclass.
private final class Upload: Operation, @unchecked Sendable {
  override func main() {}
}

private struct ContentView {}

private protocol Service {}

private protocol Subscription {}

private struct FieldValue {}

private func sum(_ bytes: Span<UInt8>) -> Int {
  var sum = 0
  for index in bytes.indices { sum += Int(bytes[index]) }
  return sum
}

/// `@Field` declares a field of an action's input, although sync's records have fields as well.
private struct Greeting: ActionInput {
  @Field("The person to greet") var who: String
}

private func location(_ location: SourceLocation = #_sourceLocation) -> Int { location.line }

struct `Names that flowrun shares with the system` {
  @Test func `names from Swift, Foundation and Testing can be used in a file that also imports flowrun`() throws {
    let upload = Upload()
    upload.qualityOfService = QualityOfService.utility
    #expect(upload.qualityOfService == .utility)
    #expect(sum([1, 2, 3].span) == 6 && location() > 0)
    #expect(TextSpan(at: 3).start == 3 && TextLocation(line: 1, column: 2).column == 2)
    #expect(StepQueue.allCases.contains(.utility))
    let types: [Any.Type] = [
      WindowContent.self, RecordOperation.self, SyncSubscription.self, (any ColumnValue).self, (any StepService).self,
    ]
    #expect(types.count == 5)
    let fields: [RecordField] = []
    let records: [SyncRecord] = []
    #expect(fields.isEmpty && records.isEmpty)
    #expect(try Greeting(values: ["who": "Ada"]).who == "Ada")
  }
}
