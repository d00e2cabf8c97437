import FlowModel
import FlowPluginKit
import SyncCore
import SyncEngine
import SyncPomodoro

extension Replica {
  /// The devices that have described themselves, sorted by identity.
  package var devices: [(device: String, info: DeviceInfo)] {
    confirmed.values.filter { $0.key.type == DeviceInfo.collection }.sorted { $0.key < $1.key }
      .compactMap { record in DeviceInfo(cell: record.cell).map { (record.key.name, $0) } }
  }

  /// True if a device has been retired and has not written since then.
  package func isRetired(_ name: String) -> Bool {
    let notes = confirmed.values.compactMap { record in
      DeviceID(name).flatMap { record.cell.context.note(of: $0) }
    }
    return !notes.isEmpty && notes.allSatisfy(\.isRetired)
  }

  /// The other devices that have described themselves or written something, with their readable names.
  private var others: [(device: String, name: String)] {
    var names: [String: String] = [:]
    for record in confirmed.values {
      for dot in record.cell.context.dots { names[dot.device.name] = dot.device.stem }
    }
    for (device, info) in devices { names[device] = info.deviceName }
    names[device.name] = nil
    return names.sorted { $0.key < $1.key }.map { (device: $0.key, name: $0.value) }
  }

  /// Returns the other device with this identity or, if it is unique, with this readable name. Throws if there is none,
  /// if several have this name, or if this device receives only a part of the zone.
  package func device(named name: String) throws -> DeviceID {
    if subscription != nil {
      throw ActionError(
        Failure.input.code,
        "this device holds a part of the zone, and a device is retired in all of it: do that on one without 'subscribe'"
      )
    }
    let named = others.filter { $0.device == name || $0.name == name }
    guard let first = named.first, let device = DeviceID(first.device) else {
      let known = others.map(\.device).joined(separator: ", ")
      throw ActionError(
        Failure.input.code, "no other device is named '\(name)'; there \(known.isEmpty ? "is none" : "are \(known)")")
    }
    guard named.count == 1 else {
      throw ActionError(
        Failure.input.code, "'\(name)' is the name of \(named.map(\.device).joined(separator: ", ")); name one of them")
    }
    return device
  }
}

extension SyncStatus {
  /// Returns the status and the zone's devices as an object, for `sync.status` and `flowrun sync status --json`.
  package func value(of replica: Replica, nowMilliseconds now: Int64) -> ValueObject {
    var object = value(nowMilliseconds: now)
    object["zone"] = replica.zone.map { .string($0) } ?? .null
    object["store"] =
      binding.store.map { store in
        .object([
          "identity": .string(store.description), "address": .string(place?.address ?? ""),
          "account": .string(place?.account ?? ""),
        ])
      } ?? .null
    object["devices"] = .array(
      replica.devices.map { device, info in
        .object(
          ValueObject([
            ("device", .string(device)), ("isRetired", .boolean(replica.isRetired(device))),
            ("name", .string(info.deviceName)), ("platform", .string(info.platform)),
            ("appVersion", .string(info.appVersion)), ("lastSeenMilliseconds", .integer(Int(info.lastSeen))),
          ]))
      })
    return object
  }

  private func value(nowMilliseconds now: Int64) -> ValueObject {
    var object = ValueObject()
    object["device"] = .string(device.name)
    var outbox = ValueObject()
    outbox["depth"] = .integer(outboxDepth)
    outbox["oldestMilliseconds"] = .integer(Int(outboxAgeMilliseconds))
    object["outbox"] = .object(outbox)
    object["parked"] = .array(
      parked.map { .object($0.value) })
    object["notShown"] = .array(
      notShown.map { .object(ValueObject([("record", .string("\($0.key)")), ("reason", .string($0.reason))])) })
    object["lastSuccessMilliseconds"] = lastSuccessMilliseconds.map { .integer(Int($0)) } ?? .null
    object["lastHeardMilliseconds"] = lastHeardMilliseconds.map { .integer(Int($0)) } ?? .null
    object["staleUntilMilliseconds"] = staleUntilMilliseconds.map { .integer(Int($0)) } ?? .null
    object["channel"] = .string(isChannelUp ? "up" : "down")
    object["offline"] = .boolean(isOffline)
    object["pause"] = pause.map { $0.value(nowMilliseconds: now) } ?? .null
    object["level"] = .string(level.word)
    object["requestsInHour"] = .integer(requestsInHour)
    object["requestsPerHourLimit"] = limits.areLimited ? .integer(limits.requestsPerHour) : .null
    object["bytesInDay"] = .integer(bytesInDay)
    object["bytesPerDayLimit"] = limits.areLimited ? .integer(limits.bytesPerDay) : .null
    object["firstFetchRequests"] = .integer(firstFetch.requests)
    object["firstFetchBytes"] = .integer(firstFetch.bytes)
    object["clockOffsetMilliseconds"] = .integer(Int(clockOffsetMilliseconds))
    object["cursor"] = cursor.map { .string("\($0)") } ?? .null
    object["actions"] = .integer(Int(statistics.actions))
    object["acknowledged"] = .integer(Int(statistics.acknowledged))
    object["requests"] = .integer(Int(statistics.requests))
    object["conflicts"] = .object(Self.conflicts(statistics.conflicts))
    return object
  }

  /// The location where the store of this data was last found, or nil.
  private var place: StorePlace? { binding.meetings.last { $0.store == binding.store }?.place }

  private var storeText: String {
    guard let store = binding.store else { return "none has answered yet" }
    return place.map { $0.address.isEmpty ? "\(store)" : "\(store) at \($0)" } ?? "\(store)"
  }

  package func lines(of replica: Replica, nowMilliseconds now: Int64) -> [String] {
    var lines = ["device     \(device)"]
    if let zone = replica.zone { lines.append("zone       \(zone)") }
    lines.append("store      \(storeText)")
    for (other, info) in replica.devices where other != device.name {
      let seconds = max(0, now + clockOffsetMilliseconds - info.lastSeen) / 1000
      lines.append(
        "other      \(other) (\(info.platform), version \(info.appVersion)), \(replica.isRetired(other) ? "retired" : "connected \(seconds) s ago")"
      )
    }
    lines.append(
      "outbox     \(outboxDepth == 0 ? "empty" : "\(outboxDepth) waiting, the oldest for \(outboxAgeMilliseconds / 1000) s")"
    )
    for one in parked { lines.append("parked     \(one.line)") }
    for one in notShown { lines.append("not shown  \(one.key): \(one.reason)") }
    let success = lastSuccessMilliseconds.map { "\(max(0, now - $0) / 1000) s ago" } ?? "never"
    lines.append("success    \(success)")
    let heard = lastHeardMilliseconds.map { "\(max(0, now - $0) / 1000) s ago" } ?? "never"
    let again = staleUntilMilliseconds.map {
      ", again in \(max(1, ($0 - now + 999) / 1000)) s: this hour's requests are used up"
    }
    lines.append("heard      \(heard)\(again ?? "")")
    lines.append("channel    \(isOffline ? "offline" : isChannelUp ? "up" : "down")")
    if let pause { lines.append(pause.line(nowMilliseconds: now)) }
    lines.append("level      \(level.word)")
    let isLimited = limits.areLimited
    lines.append(
      "requests   \(requestsInHour)\(isLimited ? " of \(limits.requestsPerHour)" : "") in the last hour\(isLimited ? "" : ", no limit")"
    )
    lines.append(
      "traffic    \(bytesInDay)\(isLimited ? " of \(limits.bytesPerDay)" : "") bytes in the last day\(isLimited ? "" : ", no limit")"
    )
    if firstFetch != .init() {
      lines.append(
        "initial    \(firstFetch.requests) requests and \(firstFetch.bytes) bytes for the first fetch of the zone")
    }
    let side = clockOffsetMilliseconds < 0 ? "ahead of" : "behind"
    lines.append("clock      \(abs(clockOffsetMilliseconds)) ms \(side) the server's")
    let decided = ConflictRule.allCases.compactMap { rule in
      statistics.conflicts[rule].map { "\(rule.rawValue) \($0)" }
    }
    lines.append("conflicts  \(decided.isEmpty ? "none" : decided.joined(separator: ", "))")
    return lines
  }

  /// Returns the number of conflicts decided by each rule, including rules that decided none.
  package static func conflicts(_ counts: [ConflictRule: Int64]) -> ValueObject {
    ValueObject(ConflictRule.allCases.map { ($0.rawValue, .integer(Int(counts[$0] ?? 0))) })
  }
}

extension SyncStatus.Parked {
  package var value: ValueObject {
    ValueObject([
      ("position", .integer(Int(position))), ("record", .string("\(key)")), ("change", .string(summary)),
      ("queuedMilliseconds", .integer(Int(queuedMilliseconds))), ("reason", .string(reason)),
    ])
  }

  package var line: String { "\(position)  \(key): \(summary): \(reason)" }

  private var summary: String {
    switch change {
    case .write(let write):
      if write.record?.isDeletion == true { return "delete it" }
      var parts = (write.fields.map(\.name) + (write.record?.changes.map(\.name) ?? [])).map { "set \($0)" }
      if let payload = write.payload {
        if key == Pomodoro.timer, let state = TimerState(payload: payload) {
          parts.insert(NoticeText.text(state), at: 0)
        } else {
          parts.insert("set its state", at: 0)
        }
      }
      return parts.prefix(3).map { String($0.prefix(40)) }.joined(separator: ", ") + (parts.count > 3 ? ", …" : "")
    case .join: return "give the server back what it lost"
    case .retire(let device): return "retire \(device)"
    }
  }
}

extension SyncPause {
  /// Returns the pause as an object. `untilMilliseconds` is null if a person must act first.
  package func value(nowMilliseconds now: Int64) -> Value {
    .object(
      ValueObject([
        ("code", .string(code)), ("reason", .string(reason)), ("sinceMilliseconds", .integer(Int(sinceMilliseconds))),
        ("untilMilliseconds", untilMilliseconds.map { .integer(Int($0)) } ?? .null),
        ("isActive", .boolean(isActive(atMilliseconds: now))),
      ]))
  }

  package func line(nowMilliseconds now: Int64) -> String {
    let ago = "\(max(0, now - sinceMilliseconds) / 1000) s ago"
    guard let untilMilliseconds else { return "paused     \(ago), needs attention: \(reason)" }
    guard isActive(atMilliseconds: now) else { return "failed     \(ago): \(reason)" }
    return "paused     \(ago), for another \((untilMilliseconds - now + 999) / 1000) s: \(reason)"
  }
}

extension Degradation.Level {
  package var word: String {
    switch self {
    case .normal: "normal"
    case .reduced: "reduced"
    case .queueOnly: "queue-only"
    }
  }
}
