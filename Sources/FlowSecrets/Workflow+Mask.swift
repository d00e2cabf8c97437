import FlowModel

extension Workflow {
  /// Returns the mask for a run with these secrets and inputs; nil if none is secret.
  public func mask(secrets values: ValueObject, inputs: ValueObject) -> SecretMask? {
    var texts: [(name: String, text: String)] = []
    for secret in secrets { if let text = values[secret.name]?.stringValue { texts.append((secret.name, text)) } }
    for input in self.inputs where input.isSecret {
      guard let text = inputs[input.name]?.stringValue else { continue }
      texts.append(("inputs.\(input.name)", text))
      for (index, part) in SecretParts.all(of: text).enumerated() {
        texts.append(("inputs.\(input.name):\(index)", part))
      }
    }
    return texts.isEmpty ? nil : SecretMask(texts)
  }
}
