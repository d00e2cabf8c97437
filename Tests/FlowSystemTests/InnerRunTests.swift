#if os(Linux)
  import Testing

  @testable import FlowSystem

  /// Stop times that nested runs of flowrun in a command report.
  @Suite(.timeLimit(.minutes(1))) struct InnerRunTests {
    @Test func `an inner run's stop time counts only if a running process of the command reports it`() async throws {
      let inner = try #require(InnerRuns.begin())
      let other = try #require(InnerRuns.begin())
      let words = inner.value.split(separator: ":")
      #expect(words.count == 4 && words[0] == "61")
      let script = """
        for line in junk "$1 $$" "$1 1 9000" "$1 $PPID 8000" "$2 $$ 7000" "$1 $$ -5" "$1 $$ 5000"; do
          echo "$line" > /proc/self/fd/61
        done
        read end
        """
      let input = try Descriptor.pipe()
      let null = try Descriptor.null()
      let number = other.value.split(separator: ":")[3]
      let group = try ProcessGroup(
        Program(
          ["/bin/sh", "-c", script, "sh", String(words[3]), String(number)], environment: ["PATH": "/usr/bin:/bin"],
          folder: "/"),
        input: input.reading.number, output: null.number, errors: null.number, inner: inner)
      var looks = 0
      while group.innerTime == 0, looks < 3000 {
        try await Task.sleep(for: .milliseconds(10))
        looks += 1
      }
      #expect(group.innerTime == 5000)
      #expect(other.milliseconds(in: group.number, others: false) == 7000)
      _ = group.end()
      #expect(group.innerTime == 0)
    }
  }
#endif
