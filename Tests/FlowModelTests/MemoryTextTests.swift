import FlowModel
import Testing

/// Suggestions for invalid amounts of memory and sizes.
struct `The suggestion for a size` {
  private static let texts = [
    "100GB", "2GB", "5TB", "9999999TiB", "70M", "1KB", "1B", "100", "0", "1e9", "1.5GiB", "0.5GB", "0.0001MiB",
    "1.2.3GiB", ".", "64 GiB", "1 TiB", "999999999999999999999999GiB", "-1MiB", "many", "0KiB", "64mib", "2000000000",
    "8ß", "5.KiB", "0.5KiB",
  ]
  private static let ranges = [1 << 10...1 << 30, 1 << 10...64 << 20, 1 << 10...MemoryText.most, 1 << 20...4 << 20]

  @Test(arguments: texts, ranges) func `a suggestion names only allowed amounts`(text: String, range: ClosedRange<Int>)
  {
    let problem = #expect(throws: MemoryText.MemoryProblem.self) { try MemoryText.parse(text, suggesting: range) }
    for amount in (problem?.help ?? "").matches(of: /[0-9.]+[TGMK]iB/) {
      let bytes = try? MemoryText.parse(String(amount.output))
      #expect(bytes.map(range.contains) == true, "\(text): \(problem?.help ?? "")")
    }
  }

  @Test(arguments: [
    ("100GB", "the limit is 1GiB"), ("1GB", "write 1GiB"), ("5TB", "the limit is 1GiB"), ("2000", "write 2000KiB"),
    ("64", "write 64MiB or 64KiB: memory has a unit"), ("1.5GiB", "the number is whole: the limit is 1GiB"),
    ("1.5MB", "write 1536KiB"), ("1B", "'B' is not a unit; the units are GiB, MiB and KiB"),
    ("0MiB", "the minimum is 1KiB"),
    ("2 MiB", "write 2MiB, without a space"), ("2 GiB", "the limit is 1GiB"), ("many", "such as 8MiB"),
  ])
  func `a suggestion contains the form that was probably meant`(text: String, help: String) {
    let problem = #expect(throws: MemoryText.MemoryProblem.self) {
      try MemoryText.parse(text, suggesting: 1 << 10...1 << 30)
    }
    #expect(problem?.help.contains(help) == true, "\(text): \(problem?.help ?? "")")
  }
}
