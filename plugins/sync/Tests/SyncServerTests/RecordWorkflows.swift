#if Network
  import Foundation

  /// The workflows of a history's devices, one for each action with and without a subscription, and a schema with every
  /// merge rule.
  enum RecordWorkflows {
    static func write(to folder: TestFolder, home: RecordHistory.Home, rule: String) throws {
      _ = try folder.write(
        """
        schema: notes
        version: 1
        collections:
          folders: { fields: { name: { type: string } } }
          notes:
            fields:
              title: { type: string }
              tags: { type: array, items: string, merge: set }
              lines: { type: array, items: string, merge: list }
              likes: { type: integer, merge: counter }
              best: { type: integer, merge: largest }
              least: { type: integer, merge: smallest }
              folder: { type: reference, to: folders, on-delete: keep }
              shelf: { type: string }
            delete: \(rule)
          accounts: { fields: { balance: { type: integer, merge: counter } } }
          timers:
            decide: [causal, { window: 5s }, { prefer: state, order: [focus, break, idle] }, newest, device]
            fields:
              state: { type: string, enum: [focus, break, idle] }
        """, to: "notes.sync.yaml")
      for act in ["put", "delete", "move", "set", "query"] {
        for isPartial in [false, true] {
          _ = try folder.write(
            workflow(act, isFile: home == .file, isPartial: isPartial), to: name(of: act, isPartial: isPartial))
        }
      }
    }

    /// Returns the name of the workflow file for an action.
    static func name(of act: String, isPartial: Bool) -> String { "\(act)\(isPartial ? "-part" : "").yaml" }

    /// The shelf whose notes a device with a subscription has.
    static let shelf = "low"

    private static let rows = """
      SELECT 'notes' AS part, _key, title, tags, lines, likes, best, least, shelf FROM notes
      UNION ALL SELECT 'accounts', '', '', '', '', coalesce(sum(balance), 0), 0, 0, '' FROM accounts
      UNION ALL SELECT 'timers', _key, state, '', '', 0, 0, 0, '' FROM timers ORDER BY part, _key
      """

    /// Returns the name of the plugin's action and its inputs.
    private static func action(_ act: String) -> (name: String, inputs: String) {
      switch act {
      case "put":
        let fields = """
          { title: "v${{ inputs.number }}", tags: { add: ["t${{ inputs.number }}"] }, likes: { add: 1 }, \
          lines: { insert: [{ value: "l${{ inputs.number }}" }] }, folder: home, shelf: "${{ inputs.shelf }}", \
          best: "${{ inputs.number }}", least: "${{ inputs.number }}" }
          """
        return ("put", "collection: notes, key: \"${{ inputs.key }}\", wait: false, fields: \(fields)")
      case "delete": return ("delete", "collection: notes, key: \"${{ inputs.key }}\", wait: false")
      case "move":
        func write(_ key: String, _ amount: String) -> String {
          "{ collection: accounts, key: \(key), fields: { balance: { add: \"${{ \(amount) }}\" } } }"
        }
        let writes = [
          write("mine", "inputs.opposite"), write("yours", "inputs.number"),
          "{ collection: folders, key: home, fields: { name: Home } }",
        ]
        return ("transaction", "wait: false, writes: [\(writes.joined(separator: ", "))]")
      case "set":
        return ("put", "collection: timers, key: only, wait: false, fields: { state: \"${{ inputs.key }}\" }")
      default:
        return ("query", "sql: \"\(rows.replacingOccurrences(of: "\n", with: " "))\", timeout: 20s")
      }
    }

    /// Returns a workflow that performs one action. It sends changes after they have been saved, and runs a query only
    /// after everything has been sent.
    private static func workflow(_ act: String, isFile: Bool, isPartial: Bool) -> String {
      let (name, inputs) = action(act)
      let isQuery = act == "query"
      let all = "folders: {}, accounts: {}, timers: {}"
      let part = isPartial ? ", subscribe: { notes: { shelf: \(shelf) }, \(all) }" : ""
      return """
        name: \(act)
        inputs:
          device: { type: string }
          place: { type: \(isFile ? "path" : "string") }
          key: { type: string, default: kept }
          number: { type: integer, default: 0 }
          opposite: { type: integer, default: 0 }
          shelf: { type: string, default: low }
        steps:
          connect:
            uses: sync.connect
            with:
              { device: "${{ inputs.device }}", \(isFile ? "store" : "server"): "${{ inputs.place }}", schema: notes.sync.yaml, on-other-store: merge, wait: 1s\(part) }
          flush:
            uses: sync.flush
            needs: \(isQuery ? "connect" : "act")
            optional: \(!isQuery)
            with: { timeout: \(isQuery ? 20 : 2)s }
          act: { uses: sync.\(name), needs: \(isQuery ? "flush" : "connect"), with: { \(inputs) } }
          rest: { run: sleep 0.3, needs: [act, flush] }
        \(isQuery ? "outputs: { rows: \"${{ steps.act.outputs.rows }}\" }" : "")

        """
    }
  }
#endif
