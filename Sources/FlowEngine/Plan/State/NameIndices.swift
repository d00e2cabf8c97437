import FlowModel

/// An index for each of some names, which are compared byte by byte.
///
/// A few names are found by comparing them, many in a dictionary. Most workflows have a batch of actions, queues and
/// events, and a program's first dictionary with text as its keys costs more than reading such a workflow: the runtime
/// makes its type, for which it goes through every conformance of the program.
struct NameIndices: Sendable {
  private var few: [NamedIndex] = []
  /// All of them, once they are more than ``comparisonLimit``.
  private var many: [ByteName: Int32] = [:]

  /// Not a tuple: the runtime would make the type of an array of them at each start.
  private struct NamedIndex {
    var name: String
    var index: Int32
  }

  private static let comparisonLimit = 12

  /// The index of a name, or nil.
  subscript(name: String) -> Int32? {
    get { many.isEmpty ? few.first { $0.name.hasSameBytes(as: name) }?.index : many[ByteName(name)] }
    set {
      if many.isEmpty {
        few.removeAll { $0.name.hasSameBytes(as: name) }
        if let newValue { few.append(NamedIndex(name: name, index: newValue)) }
        if few.count <= Self.comparisonLimit { return }
        for entry in few { many[ByteName(entry.name)] = entry.index }
        few = []
      } else {
        many[ByteName(name)] = newValue
      }
    }
  }
}
