import Testing

@testable import FlowSystem

struct ProcessNumberTests {
  @Test(arguments: [
    "", " ", "0", "1", "-1", "-5", "+5", "05", "5 ", " 5", "5\n", "5x", "x5", "5 6", "0x10", "5.0", "٣", "-",
    "99999999999",
    "2147483648",
  ])
  func `text that is not a process number is refused`(text: String) {
    #expect(ProcessNumber(text) == nil)
  }

  @Test func `a number from 2 to 2147483647 is accepted as a process number`() {
    #expect(ProcessNumber("2")?.value == 2)
    #expect(ProcessNumber("4194304")?.value == 4_194_304)
    #expect(ProcessNumber("2147483647")?.value == .max)
    #expect(ProcessNumber(exactly: 2)?.value == 2)
    for number in [Int.min, -1, 0, 1, .max] { #expect(ProcessNumber(exactly: number) == nil) }
  }
}
