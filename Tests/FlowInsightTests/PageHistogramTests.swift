import Testing

@testable import FlowInsight

/// Histograms of the time until ready, if some of the runs were never ready.
struct PageHistogramTests {
  @Test func `the histogram of a page shows the runs that became ready, even if most runs never did`() {
    for count in 2...9 {
      for never in 0...count {
        let values = (0..<count).map { $0 < never ? Int.max : 938_000_000 + $0 * 1_000_000 }
        let html = PageHistogram.html([
          PageHistogram(values: Quantiles(values), minimum: 200_000_000, maximum: 20_000_000_000, hasGate: true)
        ])
        #expect(html.isEmpty == (never == count), "\(never) of \(count)")
        #expect(never == count || html.contains("to \(PageText.time(values.last)), half of"), "\(never) of \(count)")
      }
    }
  }
}
