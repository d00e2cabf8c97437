import FlowDiagnostics
import FlowModel
import SyncCore
import SyncEngine

extension RecordSchema {
  /// Converts an input such as `subscribe: { notes: { folder: inbox }, folders: {} }` to a subscription.
  package func subscription(_ wanted: ValueObject) throws(RecordProblem) -> SyncSubscription {
    if wanted.isEmpty { throw RecordProblem("it names no collection; leave it out to have all records") }
    var collections: [String: [String: Scalar]] = [:]
    for (name, value) in wanted.members {
      let collection = try require(name)
      var filter: [String: Scalar] = [:]
      switch value {
      case .object(let members):
        for (field, value) in members.members { filter[field] = try collection.wanted(field, value) }
      case .null: break
      default:
        throw RecordProblem(
          "'\(name)' takes a mapping from field to value such as { folder: inbox }, or {} for all records, found \(value.foundText)"
        )
      }
      collections[name] = filter
    }
    // The descriptions of devices are part of every subscription.
    collections[DeviceInfo.collection] = collections[DeviceInfo.collection] ?? [:]
    let subscription = SyncSubscription(collections)
    let bytes = subscription.packed().count
    if bytes > SyncSubscription.maximumBytes {
      throw RecordProblem("it has \(bytes) bytes, at most \(SyncSubscription.maximumBytes) are allowed")
    }
    return subscription
  }

  /// Returns the schema with only the collections that the device receives.
  package func showing(_ subscription: SyncSubscription?) -> RecordSchema {
    guard let subscription else { return self }
    var shown = self
    shown.collections.removeAll { subscription.collections[$0.name] == nil }
    return shown
  }

  /// Returns a collection by name, for reading on a device. If it does not exist, the error suggests the most similar
  /// name. Also throws if the device does not receive the collection.
  public func require(_ name: String, in subscription: SyncSubscription?) throws(RecordProblem) -> Collection {
    let collection = try require(name)
    if let subscription, subscription.collections[name] == nil { throw Self.unsubscribed(name) }
    return collection
  }

  /// Returns the problem with reading a collection that the device does not receive.
  package static func unsubscribed(_ name: String) -> RecordProblem {
    RecordProblem(
      "this device has no records of '\(name)': it is not in 'subscribe' of sync.connect; add '\(name): {}' there to read it"
    )
  }
}

extension RecordSchema.Collection {
  fileprivate func wanted(_ name: String, _ value: Value) throws(RecordProblem) -> Scalar {
    let field = try require(name)
    guard field.rule.merge == .newest else {
      let others = fields.filter { $0.rule.merge == .newest }.map(\.name)
      let help = others.isEmpty ? "'\(self.name)' has none" : "there are \(others.joined(separator: ", "))"
      throw RecordProblem(
        "'\(name)' of '\(self.name)' is merged by \(field.rule.merge.rawValue), and only fields merged by newest can be asked for; \(help)"
      )
    }
    return try field.scalar(value, field.rule.type)
  }
}
