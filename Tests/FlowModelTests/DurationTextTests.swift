import FlowModel
import Testing

/// Durations in the notation of workflows.
struct `A duration` {
  @Test(
    arguments: [
      ("0s", .zero), ("250ms", .milliseconds(250)), ("2s", .seconds(2)), ("1.5s", .milliseconds(1500)),
      ("1m30s", .seconds(90)), ("1h2m3s4ms", .milliseconds(3_723_004)), ("0.5ms", .microseconds(500)),
      ("3d", .seconds(259_200)), ("1d12h", .seconds(129_600)), ("1.5d", .seconds(129_600)),
      ("1m0.25s", .milliseconds(60_250)), ("10000h", DurationText.longest),
    ] as [(String, Duration)])
  func `a duration in the notation of workflows is parsed exactly`(text: String, duration: Duration) throws {
    #expect(try DurationText.parse(text) == duration)
  }

  @Test(
    arguments: [
      ("", .empty), ("5", .missingUnit("5")), ("1m30", .missingUnit("30")), ("5 s", .unknownUnit(" s")),
      ("3w", .unknownUnit("w")), ("1h2d", .unitOrder("d")), ("417d", .tooLong("417d")), ("s", .notANumber("s")),
      ("-1s", .notANumber("-1s")), ("1.s", .notANumber("1.s")),
      ("1.2.3s", .notANumber("1.2.3s")), ("1.5m30s", .notANumber("1.5m30s")), ("1s2m", .unitOrder("m")),
      ("1s1s", .unitOrder("s")), ("10000h1ms", .tooLong("10000h1ms")), ("10001h", .tooLong("10001h")),
      ("99999999999999999999s", .tooLong("99999999999999999999s")),
    ] as [(String, DurationText.DurationProblem)])
  func `a malformed duration is rejected with a remedy`(text: String, problem: DurationText.DurationProblem) {
    #expect(throws: problem) { try DurationText.parse(text) }
    #expect(!problem.help.isEmpty)
  }

  @Test(arguments: [
    ("5", "write 5s or 5ms: a duration has a unit"), ("0.5", "write 0.5s or 0.5ms: a duration has a unit"),
    ("99999999", "write 99999999ms: a duration has a unit"), ("1.2.3", "write a number with a unit, such as 250ms"),
    ("5.", "write a number with a unit, such as 250ms"),
    ("99999999999999", "write a number with a unit, such as 250ms"),
  ])
  func `a duration without a unit is rejected with a valid suggestion`(text: String, help: String) {
    let problem = #expect(throws: DurationText.DurationProblem.self) { try DurationText.parse(text) }
    #expect(problem?.help == help)
  }

  @Test(arguments: ["0s", "250ms", "2s", "1m30s", "1h", "1h2m3s4ms", "10000h"])
  func `a duration is formatted as in a workflow`(text: String) throws {
    #expect(DurationText.format(try DurationText.parse(text)) == text)
  }

  @Test(
    arguments: [
      (.seconds(253_402_300_799), "70389527h59m59s"), (.seconds(-90), "-1m30s"), (.milliseconds(-5), "-5ms"),
      (.nanoseconds(-1_500_000_001), "-1s500.000001ms"), (.seconds(Int64.min), "-2562047788015215h30m8s"),
      (.seconds(Int64.max), "2562047788015215h30m7s"), (.nanoseconds(1), "0.000001ms"),
    ] as [(Duration, String)])
  func `a duration is formatted even if a workflow cannot contain it`(duration: Duration, text: String) {
    #expect(DurationText.format(duration) == text)
  }
}
