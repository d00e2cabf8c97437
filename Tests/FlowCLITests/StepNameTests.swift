import Testing

@Suite(.timeLimit(.minutes(10))) struct StepNameTests {
  @Test func `a step name can contain inputs, and the step id is shown instead if the inputs are unknown`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: main
      inputs: { b: { type: string, default: two }, n: { type: integer, default: 3 } }
      steps:
        own: { run: "true", name: "step ${{ inputs.b }} of ${{ inputs.n }}" }
        plain: { run: "true", name: Plain name }
        part: { uses: ./part.yaml, with: { x: "with ${{ inputs.b }}" }, name: "part ${{ inputs.b }}" }
        late: { uses: ./part.yaml, needs: own, with: { x: "${{ steps.own.outputs.stdout }}" } }
      """, to: "main.yaml")
    try tool.write(
      """
      name: part
      inputs: { x: { type: string }, y: { type: string, default: usual } }
      steps:
        known: { run: "true", name: "in ${{ inputs.x }}" }
        usual: { run: "true", name: "by ${{ inputs.y }}" }
      """, to: "part.yaml")
    let output = try tool.run(["main.yaml", "-i", "b=given"]).standardOutput
    for name in [
      "step given of 3 (own) succeeded", "Plain name (plain) succeeded", "in with given (part/known) succeeded",
      "by usual (part/usual) succeeded", "part given (part) succeeded", " late/known succeeded",
      "by usual (late/usual) succeeded",
    ] { #expect(output.contains(name), "\(name)\n\(output)") }
    // An included file does not count as a step.
    #expect(!output.contains("${{") && output.contains("(6 succeeded)"), "\(output)")
  }
}
