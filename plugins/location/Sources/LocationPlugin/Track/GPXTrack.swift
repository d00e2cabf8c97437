import FlowPluginKit
import FlowPlatform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The points of a GPX file, in order, each with the time since the first one.
struct GPXTrack: Sendable {
  /// The maximum size of a file in bytes: about 700,000 points, or eight days with one point per second.
  static let largestFile = 16 << 20

  /// The points of the track. There is at least one.
  private(set) var points: [Position] = []

  /// Reads a GPX file.
  ///
  /// - Throws: `ActionError` with the code `invalid-track` if the file is missing, unreadable, too large or invalid.
  ///   The message contains the file and, if its contents are invalid, the line.
  init(path: String) throws {
    // `FileManager` is not used, because without full Foundation its sizes do not have the type `Int`.
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw ActionError("invalid-track", "\(path): there is no such file to read", isRetryable: false)
    }
    let size = Int(status.st_size)
    guard size <= Self.largestFile else {
      throw ActionError(
        "invalid-track", "\(path): \(size) bytes; a track may have \(Self.largestFile)", isRetryable: false)
    }
    guard !FilePath.isFolder(path) else {
      throw ActionError("invalid-track", "\(path): this is a folder; expected a GPX file", isRetryable: false)
    }
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
      throw ActionError(
        "invalid-track", "\(path): the file cannot be read; expected a GPX file that you have permission to read",
        isRetryable: false)
    }
    do throws(GPXProblem) {
      try self.init(bytes: [UInt8](data))
    } catch {
      throw ActionError("invalid-track", "\(path):\(error.line): \(error.message)", isRetryable: false)
    }
  }

  /// Parses the contents of a GPX file. Throws the first problem.
  init(bytes: [UInt8]) throws(GPXProblem) {
    var reader = XMLTagReader(bytes: bytes)
    var current: (latitude: Double, longitude: Double, elevation: Double?, time: Double?, line: Int)?
    var times: [Double?] = []
    while let tag = try reader.next() {
      switch (tag.name, tag.kind) {
      case ("wpt", .open), ("trkpt", .open), ("rtept", .open), ("wpt", .empty), ("trkpt", .empty), ("rtept", .empty):
        let latitude = try Self.degrees(tag, "lat", limit: 90)
        let longitude = try Self.degrees(tag, "lon", limit: 180)
        current = (latitude, longitude, nil, nil, tag.line)
        if tag.kind == .empty { try add(&current, &times) }
      case ("ele", .open):
        if current != nil { current?.elevation = Double(reader.text()) }
      case ("time", .open):
        guard current != nil else { continue }
        let text = reader.text()
        guard let time = try? Date(text, strategy: .iso8601) else {
          throw GPXProblem(line: tag.line, message: "'\(text)' is not a time; expected 2026-05-01T08:00:00Z")
        }
        current?.time = time.timeIntervalSinceReferenceDate
      case ("wpt", .close), ("trkpt", .close), ("rtept", .close):
        try add(&current, &times)
      default: break
      }
    }
    guard !points.isEmpty else {
      throw GPXProblem(line: reader.line, message: "no wpt, trkpt or rtept with lat and lon")
    }
    try spread(times)
  }

  private static func degrees(_ tag: XMLTag, _ name: String, limit: Double) throws(GPXProblem) -> Double {
    guard let text = tag.attributes[name] else {
      throw GPXProblem(line: tag.line, message: "<\(tag.name)> needs '\(name)'")
    }
    guard let value = Double(text), abs(value) <= limit else {
      throw GPXProblem(
        line: tag.line, message: "\(name) is '\(text)', expected a number of \(-Int(limit)) … \(Int(limit))")
    }
    return value
  }

  private mutating func add(
    _ current: inout (latitude: Double, longitude: Double, elevation: Double?, time: Double?, line: Int)?,
    _ times: inout [Double?]
  ) throws(GPXProblem) {
    guard let point = current else { return }
    points.append(
      Position(
        latitude: point.latitude, longitude: point.longitude, elevationMeters: point.elevation, elapsed: .zero))
    times.append(point.time)
    current = nil
  }

  /// Sets the time of every point: the recorded time or, if the point or the first point has none, one second after the
  /// previous point. Throws a problem if a point is earlier than the previous one.
  private mutating func spread(_ times: [Double?]) throws(GPXProblem) {
    let first = times[0]
    for index in points.indices.dropFirst() {
      if let first, let time = times[index] {
        points[index].elapsed = .milliseconds(Int64(((time - first) * 1000).rounded()))
      } else {
        points[index].elapsed = points[index - 1].elapsed + .seconds(1)
      }
      guard points[index].elapsed >= points[index - 1].elapsed else {
        throw GPXProblem(line: 1, message: "point \(index + 1) is earlier than the one before it")
      }
    }
  }
}

/// A problem in a track, with its line.
struct GPXProblem: Error, Equatable {
  /// The number of the line with the problem, from 1. It is 1 if a point is earlier than the previous one.
  var line: Int
  /// The problem in one sentence, without the line.
  var message: String
}
