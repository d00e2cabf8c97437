#if Network
  import Foundation
  import FlowPlatform
  import SyncCore

  /// The file with the zones of a server. Each line contains the name of a zone and the hash of its token. A token in
  /// clear text is accepted, and is replaced by its hash when the file is next written. Unless ``mayBeReadable`` is
  /// true, the file must not be readable by all users of the machine.
  public struct ZonesFile: Sendable {
    /// The path of the file.
    public let path: String
    /// True if all users of the machine are allowed to read the file.
    public let mayBeReadable: Bool

    /// A problem with the file or a requested change.
    public struct ZonesProblem: Error, CustomStringConvertible {
      /// The problem and its location as text.
      public let description: String
    }

    private enum Line {
      case zone(String, ZoneToken, isClear: Bool)
      case other(String)
    }

    /// Creates a reference to a file. The file need not exist yet.
    public init(path: String, mayBeReadable: Bool = false) {
      self.path = path
      self.mayBeReadable = mayBeReadable
    }

    /// Reads the zones and their tokens. Throws a `ZonesProblem` if the file is missing, invalid or readable by users
    /// who are not allowed to read it.
    public func zones() throws -> [String: ZoneToken?] {
      try lines().reduce(into: [:]) { zones, line in
        if case .zone(let name, let token, _) = line { zones[name] = token }
      }
    }

    /// Returns the names of zones whose tokens are in clear text.
    public func clearZones() throws -> [String] {
      try lines().compactMap { if case .zone(let name, _, true) = $0 { name } else { nil } }
    }

    /// Returns a string that changes whenever the file does, or nil if the file does not exist.
    func stamp() -> String? {
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
        let date = attributes[.modificationDate] as? Date
      else { return nil }
      let (size, number) = (attributes[.size] as? Int ?? 0, attributes[.systemFileNumber] as? Int ?? 0)
      return "\(date.timeIntervalSince1970) \(size) \(number)"
    }

    // MARK: Changes

    /// Adds a zone and returns its token. Only the hash of the token is stored. Throws a `ZonesProblem` if the name is
    /// invalid or the zone exists.
    public func add(_ name: String) throws -> String {
      guard ZoneName.isWellFormed(name) else {
        throw ZonesProblem(description: "'\(name)' is not a name for a zone: \(ZoneName.rule)")
      }
      return try change(isNew: true) { lines in
        guard Self.index(of: name, in: lines) == nil else {
          throw ZonesProblem(
            description: "the zone '\(name)' is there already; 'zones rotate \(name)' gives it a new token")
        }
        let token = ZoneToken.random()
        lines.append(.zone(name, ZoneToken(token), isClear: false))
        return token
      }
    }

    /// Replaces the token of a zone and returns the new one. Throws a `ZonesProblem` if the zone does not exist.
    public func rotate(_ name: String) throws -> String {
      try change { lines in
        let token = ZoneToken.random()
        lines[try Self.index(of: name, in: lines)] = .zone(name, ZoneToken(token), isClear: false)
        return token
      }
    }

    /// Removes a zone from the file. Its records stay in the store. Throws a `ZonesProblem` if the zone does not exist.
    public func revoke(_ name: String) throws {
      try change { lines in _ = lines.remove(at: try Self.index(of: name, in: lines)) }
    }

    private static func index(of name: String, in lines: [Line]) -> Int? {
      lines.firstIndex { if case .zone(name, _, _) = $0 { true } else { false } }
    }

    private static func index(of name: String, in lines: [Line]) throws -> Int {
      if let index = index(of: name, in: lines) { return index }
      let known = lines.compactMap { if case .zone(let name, _, _) = $0 { name } else { nil } }
      throw ZonesProblem(
        description:
          "there is no zone '\(name)'; there \(known.isEmpty ? "is none" : "are \(known.joined(separator: ", "))")")
    }

    /// Reads, changes and replaces the file while holding a lock that excludes other processes.
    private func change<Value>(isNew: Bool = false, _ body: (inout [Line]) throws -> Value) throws -> Value {
      let lock = open(path + ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
      guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw unwritable() }
      defer { close(lock) }
      var lines = isNew && !FileManager.default.fileExists(atPath: path) ? [] : try self.lines()
      let value = try body(&lines)
      let text = lines.map { line in
        switch line {
        case .zone(let name, let token, _): "\(name) \(token.text)\n"
        case .other(let text): "\(text)\n"
        }
      }.joined()
      try replace(with: text)
      return value
    }

    /// Writes a temporary file and renames it, so that readers see either the old or the new file.
    private func replace(with text: String) throws {
      let fresh = "\(path).new"
      unlink(fresh)
      let descriptor = open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw unwritable() }
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      do {
        try file.write(contentsOf: Data(text.utf8))
        try file.synchronize()
      } catch {
        unlink(fresh)
        throw ZonesProblem(description: "'\(path)' cannot be written: \(error.localizedDescription)")
      }
      if rename(fresh, path) != 0 { throw unwritable() }
    }

    private func unwritable() -> ZonesProblem {
      ZonesProblem(description: "'\(path)' cannot be written: \(String(cString: strerror(errno)))")
    }

    // MARK: Reading

    private func lines() throws -> [Line] {
      let rights = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int ?? 0
      if rights & 0o004 != 0, !mayBeReadable {
        throw ZonesProblem(
          description:
            "every user of this machine can read '\(path)'; remove that permission (chmod o-r) or say --readable-zones")
      }
      let text: String
      do {
        text = try String(contentsOfFile: path, encoding: .utf8)
      } catch {
        throw ZonesProblem(description: "the file '\(path)' cannot be read: \(error.localizedDescription)")
      }
      var texts = text.split(separator: "\n", omittingEmptySubsequences: false)
      if texts.last == "" { texts.removeLast() }
      var lines: [Line] = []
      for (index, text) in texts.enumerated() { lines.append(try line(text, number: index + 1, after: lines)) }
      return lines
    }

    private func line(_ text: Substring, number: Int, after lines: [Line]) throws -> Line {
      let parts = text.split(whereSeparator: \.isWhitespace)
      if parts.isEmpty || text.hasPrefix("#") { return .other(String(text)) }
      guard parts.count == 2 else {
        throw ZonesProblem(description: "\(path):\(number): expected a zone's name and its token")
      }
      let name = String(parts[0])
      guard Self.index(of: name, in: lines) == nil else {
        throw ZonesProblem(description: "\(path):\(number): the zone '\(name)' appears twice")
      }
      if let token = ZoneToken(text: parts[1]) { return .zone(name, token, isClear: false) }
      return .zone(name, ZoneToken(String(parts[1])), isClear: true)
    }
  }
#endif
