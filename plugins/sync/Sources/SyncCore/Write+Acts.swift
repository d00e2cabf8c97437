import FlowBytes

extension Write {
  /// The act that set the state, or the only one.
  public var act: Act { Act(milliseconds: milliseconds, counter: counter, seen: seen) }

  /// The acts that went into it, in their order, each once.
  public var acts: [Act] {
    var acts = [act]
    for case let other? in fields.map(\.act)
    where !acts.contains(where: { !$0.isEarlier(than: other) && !other.isEarlier(than: $0) }) {
      acts.append(other)
    }
    return acts.sorted { $0.isEarlier(than: $1) }
  }

  /// This write with other times for its acts, one for each of `acts` in their order.
  public func restamped(_ stamps: [Stamp]) -> Write {
    let acts = acts
    guard stamps.count == acts.count else { return self }
    var result = self
    func time(of act: Act) -> Stamp? {
      acts.firstIndex { !$0.isEarlier(than: act) && !act.isEarlier(than: $0) }.map { stamps[$0] }
    }
    if let stamp = time(of: act) { result.stamp = stamp }
    for index in result.fields.indices {
      guard let act = result.fields[index].act, let stamp = time(of: act) else { continue }
      result.fields[index].act?.milliseconds = stamp.milliseconds
      result.fields[index].act?.counter = stamp.counter
    }
    return result
  }

  /// What distinguishes this write from another one under the same number, such as that of a device that runs on a copy of this
  /// one's file; never 0. It covers what the act fixed, and nothing that a clock or the arbiter changes later.
  public var check: UInt32 { seal == 0 ? contentCheck : seal }

  /// This write with its checksum fixed.
  public func sealed() -> Write {
    var result = self
    result.seal = contentCheck
    return result
  }

  /// FNV-1a over what the user did.
  private var contentCheck: UInt32 {
    var hash = FNV1a64()
    hash.add(UInt64(bitPattern: dot.number))
    hash.add(UInt64(bitPattern: milliseconds))
    hash.add(UInt64(counter))
    hash.add(payload.map { UInt64($0.count) + 1 } ?? 0)
    hash.add(payload ?? [])
    hash.add(UInt64(bitPattern: tally.epoch))
    hash.add(UInt64(bitPattern: tally.count))
    for change in fields {
      hash.add(UInt64(change.name.utf8.count))
      hash.add(change.name.utf8)
      hash.add(UInt64(change.value.count))
      hash.add(change.value)
      let stamp = stamp(of: change)
      hash.add(UInt64(bitPattern: stamp.milliseconds))
      hash.add(UInt64(stamp.counter))
    }
    if incarnation != 0 { hash.add(incarnation) }
    if let record {
      var packer = Packer()
      record.pack(into: &packer)
      hash.add(packer.bytes)
    }
    return max(1, UInt32(truncatingIfNeeded: hash.value ^ (hash.value >> 32)))
  }
}

extension Write {
  /// This write with all its acts later, or earlier, by so much: stamped again once the clock has been measured. Each act
  /// stays later than what its author had seen.
  public func shifted(byMilliseconds difference: Int64) -> Write {
    restamped(
      acts.map { act in
        let time = min(max(act.milliseconds + difference, 0), Stamp.latestMilliseconds)
        let stamp = Stamp(milliseconds: time, counter: act.counter, device: dot.device)
        return act.seen.map { stamp.raised(above: $0) } ?? stamp
      })
  }
}
