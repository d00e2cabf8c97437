import Foundation

/// The measured figures. Each row is printed immediately as a line of JSON. At the end, all rows are printed as a
/// table.
final class Figures {
  /// A measured figure: `value` in `unit`. `bar` is the limit in the same unit.
  struct Row: Encodable {
    var work: String
    var bar: String
    var value: Double
    var unit: String
    var isMet: Bool?
    var detail: String
    /// Additional figures by name. Each name ends with its unit.
    var figures: [String: Double]
  }

  private(set) var rows: [Row] = []

  /// Adds a row. Its limit is `atMost` or `atLeast`. A row that is only shown for comparison has neither.
  func add(
    _ work: String, _ value: Double, _ unit: String, atMost: Double? = nil, atLeast: Double? = nil, detail: String = "",
    figures: [String: Double] = [:]
  ) {
    let bar = atMost.map { "≤ \(Self.short($0))" } ?? atLeast.map { "≥ \(Self.short($0))" } ?? "–"
    let isMet = atMost.map { value <= $0 } ?? atLeast.map { value >= $0 }
    let row = Row(
      work: work, bar: bar, value: Self.rounded(value), unit: unit, isMet: isMet, detail: detail,
      figures: figures.mapValues(Self.rounded))
    rows.append(row)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let line = try? encoder.encode(row) { print(String(decoding: line, as: UTF8.self)) }
    fflush(nil)
  }

  /// Adds a row for each of these percentiles. The other percentiles are shown as its detail.
  func add(_ work: String, _ latencies: Latencies, bars: [(percentile: Double, atMost: Double?)]) {
    for bar in bars {
      add(
        "\(work): p\(Int(bar.percentile))", latencies.milliseconds(percentile: bar.percentile), "ms",
        atMost: bar.atMost,
        detail: latencies.text, figures: latencies.figures)
    }
  }

  /// Adds a row for each of these percentiles, as a multiple of the same percentile of a peer.
  func add(
    _ work: String, _ latencies: Latencies, to peer: Latencies, bars: [(percentile: Double, atMost: Double?)]
  ) {
    for bar in bars {
      let ratio = latencies.milliseconds(percentile: bar.percentile) / peer.milliseconds(percentile: bar.percentile)
      add(
        "\(work): p\(Int(bar.percentile))", ratio, "×", atMost: bar.atMost,
        detail: "\(latencies.text); the peer \(peer.text)")
    }
  }

  /// The rows formatted as a text table, with a mark for each limit that was met or missed.
  var table: String {
    let shown = rows.map { row in
      let mark = row.isMet.map { $0 ? "met" : "MISSED" } ?? ""
      return [row.work, "\(Self.short(row.value)) \(row.unit)", row.bar, mark, row.detail]
    }
    let widths = (0..<4).map { column in shown.map { $0[column].count }.max() ?? 0 }
    return shown.map { cells in
      cells.enumerated().map { column, cell in
        column < 4 ? cell + String(repeating: " ", count: widths[column] - cell.count) : cell
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  static func short(_ number: Double) -> String {
    number == number.rounded() ? String(Int(number)) : String(format: number < 10 ? "%.2f" : "%.1f", number)
  }

  private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
}

/// The durations of one kind of work, in microseconds. Longer durations are recorded as one minute.
struct Latencies {
  private var microseconds: [UInt64] = []

  mutating func record(nanoseconds: UInt64) { microseconds.append(min(nanoseconds / 1000, 60_000_000)) }

  /// Returns a percentile of the durations, in milliseconds, or 0 if none were recorded.
  func milliseconds(percentile: Double) -> Double {
    guard !microseconds.isEmpty else { return 0 }
    let rank = Int((percentile / 100 * Double(microseconds.count)).rounded(.up))
    return Double(microseconds.sorted()[max(rank, 1) - 1]) / 1000
  }

  var figures: [String: Double] {
    [
      "count": Double(microseconds.count), "p50Milliseconds": milliseconds(percentile: 50),
      "p90Milliseconds": milliseconds(percentile: 90), "p99Milliseconds": milliseconds(percentile: 99),
      "maxMilliseconds": milliseconds(percentile: 100),
    ]
  }

  var text: String {
    let shares = [50.0, 90, 99, 100].map { Figures.short(milliseconds(percentile: $0)) }
    return "p50 \(shares[0]), p90 \(shares[1]), p99 \(shares[2]), max \(shares[3]) ms of \(microseconds.count)"
  }
}
