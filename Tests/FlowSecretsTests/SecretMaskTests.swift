import FlowModel
import FlowSecrets
import Testing

struct `A mask of secrets` {
  private static let mask = SecretMask([
    ("token", "s3cr3t-t0ken/x"), ("key", "line one is long\nxy\nline two is longer"),
  ])

  @Test(arguments: [
    ("s3cr3t-t0ken/x", "***"), ("as3cr3t-t0ken/xb", "a***b"), ("s3cr3t-t0ken/xs3cr3t-t0ken/x", "***"),
    ("s3cr3t-t0ken/", "s3cr3t-t0ken/"), ("", ""), ("s", "s"), ("line one is long\r\nxy", "***\r\nxy"),
    ("s3cr3t-t0ken%2Fx s3cr3t-t0ken%2fx", "*** ***"), (#""s3cr3t-t0ken\/x""#, #""***""#),
    ("Basic dXNlcjpzM2NyM3QtdDBrZW4veA==", "Basic dXNlcjpz***eA=="),
  ])
  func `the mask hides secrets in every form`(text: String, wanted: String) {
    let masked = Self.mask.masked(text)
    if text.hasPrefix("Basic") {
      #expect(masked.hasPrefix("Basic dXNlcjp") && masked.contains("***") && !masked.contains("M2NyM3Q"))
    } else {
      #expect(masked == wanted)
    }
  }

  @Test func `the mask hides the possible parts of a secret where a text is cut`() {
    #expect(Self.mask.masked("the s3cr3t-t0", isCut: true) == "the ***")
    #expect(Self.mask.masked("the s3cr3t-t0") == "the s3cr3t-t0")
    #expect(Self.mask.withholding("the s3cr3t-t0") == "the ")
    let half = String(repeating: "a", count: 1 << 19)
    #expect(
      Self.mask.masked(half + "s3cr3t-" + "\n[flowrun: 12 bytes left out]\n" + "t0ken/x" + half)
        == half + "***" + "\n[flowrun: 12 bytes left out]\n" + "***" + half)
  }

  @Test(arguments: [
    "nothing", "s3cr3t-t0ken/x", "{secret:", "{secret:token}", "{secret:}", "a{secret:s3cr3t-t0ken/x}b",
    "line two is longer and czNjcjN0LXQwa2VuL3g=", "{secret:token/text/14}", "{", "",
  ])
  func `the mask replaces secrets with placeholders, from which they can be restored`(text: String) throws {
    let withPlaceholders = Self.mask.withPlaceholders(["text": .string(text)])
    let shown = withPlaceholders["text"]?.stringValue ?? ""
    #expect(!shown.contains("s3cr3t") && !shown.contains("line two") && !shown.contains("czNjc"))
    #expect(try SecretMask.filled(withPlaceholders, by: Self.mask) == ["text": .string(text)])
    let hasPlaceholder = shown.contains("{secret:token/") || shown.contains("{secret:key/")
    if hasPlaceholder {
      #expect(throws: SecretMask.MissingSecret.self) { try SecretMask.filled(withPlaceholders, by: nil) }
    }
  }

  @Test func `the mask reports a secret that is spread over several lines, because it cannot be hidden`() {
    #expect(Self.mask.spreadSecret(in: ["a": ["b", "s3cr\n3t-t0k\nen/x"]]) == "token")
    #expect(Self.mask.spreadSecret(in: ["a": "s3cr3t-t0ken/x\nand more"]) == nil)
    #expect(Self.mask.spreadSecret(in: ["a": 1, "b": "s3cr 3t"]) == nil)
  }

  @Test func `the mask does not change numbers and keys`() {
    let mask = SecretMask([("pin", "1234")])
    #expect(mask.masked(["1234": 1234, "text": "1234"] as ValueObject) == ["1234": 1234, "text": "***"])
  }

  @Test func `the mask hides base64 that is split into lines of any width`() {
    let text = "abc\nczNjcjN0LXQwa2\nVuL3g=\n"
    #expect(Self.mask.masked(text).hasPrefix("abc\n***\n"))
  }

  @Test func `the mask hides parts of a secret input only if the input is JSON or a link`() {
    var workflow = Workflow(name: "w", steps: [])
    var field = FieldDeclaration("payload", .string)
    field.isSecret = true
    workflow.inputs = [field]
    func shown(_ text: String, _ secret: String) -> String? {
      workflow.mask(secrets: [:], inputs: ["payload": .string(secret)])?.masked(text)
    }
    let payload = """
      {"route": "app://a/b?next=app%3A%2F%2Fc%3Fjwt%3DJWTJWTJWT&x=1", "list": [["deep-inside"]], "n": 12345678}
      """
    let text = "JWTJWTJWT deep-inside app://c?jwt=JWTJWTJWT 12345678 short"
    #expect(shown(text, payload) == "*** *** *** 12345678 short")
    #expect(shown("the token abcdefghij", "https://x.example/?token=abcdefghij") == "the token ***")
    #expect(shown("a whole secret's words", "words and more words") == "a whole secret's words")
    #expect(shown("broken-json-text", #"{"a": "broken-json-text""#) == "broken-json-text")
  }
}
