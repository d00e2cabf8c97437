import RouterCore
import Testing

/// Checks that secrets of a link are not logged, however they are encoded.
struct RedactionTests {
  @Test(arguments: [
    ("app://a?token=SECRET", "app://a?token=[redacted]"),
    ("app://a?to%6ben=SECRET&page=2", "app://a?to%6ben=[redacted]&page=2"),
    ("app://a?to%256ben=SECRET", "app://a?to%256ben=[redacted]"),
    ("app://a?%74oken%3DSECRET", "app://a?[redacted]"),
    ("app://a?user%5Bpassword%5D=SECRET", "app://a?user%5Bpassword%5D=[redacted]"),
    ("app://a?q=1;AUTH=SECRET#oauth_token=SECRET", "app://a?q=1;AUTH=[redacted]#oauth_token=[redacted]"),
    ("app://a?next=app://b?token=SECRET", "app://a?next=app://b?token=[redacted]"),
    ("app://a?next=app%3A%2F%2Fb%3Ftoken%3DSECRET%26x%3D1&y=2", "app://a?next=[redacted]&y=2"),
    ("app://a?next=app%253A%252F%252Fb%253Ftoken%253DSECRET", "app://a?next=[redacted]"),
    ("app://open/app%3A%2F%2Fb%3Ftoken%3DSECRET/x", "app://open/[redacted]/x"),
    ("app://a;code=SECRET/b", "app://a;code=[redacted]/b"),
    ("app://me:SECRET@product/1", "app://[redacted]@product/1"),
    ("https://me:SECRET@SECRET@example.com/1?q=a@b", "https://[redacted]@example.com/1?q=a@b"),
    ("app://a?next=https%3A%2F%2Fme%3ASECRET%40x%2F", "app://a?next=[redacted]"),
    ("app://a?jwt=SECRET&api_key=SECRET&page=2", "app://a?jwt=[redacted]&api_key=[redacted]&page=2"),
    ("app://a?idJWT=SECRET;X-Api-Key=SECRET", "app://a?idJWT=[redacted];X-Api-Key=[redacted]"),
    ("app://a?APIKEY=SECRET#sessionId=SECRET", "app://a?APIKEY=[redacted]#sessionId=[redacted]"),
    ("app://a?next=app%3A%2F%2Fb%3Fapi%255Fkey%3DSECRET", "app://a?next=[redacted]"),
    ("app://a?api%7Fkey=1&rapid=2&keyboard=3", "app://a?api%7Fkey=1&rapid=2&keyboard=3"),
    ("app://a?token=\u{301}SECRET&page=2", "app://a?token=[redacted]&page=2"),
    ("app://a?\u{301}q=1&\u{301}token=SECRET", "app://a?\u{301}q=1&\u{301}token=[redacted]"),
    ("app://\u{301}me:SECRET@\u{301}product/1", "app://[redacted]@\u{301}product/1"),
    ("app://a?q=100%25&title=%E5%AE%B6", "app://a?q=100%25&title=%E5%AE%B6"),
  ])
  func `hides the values of secret keys, even in nested links`(link: String, shown: String) {
    #expect(Redaction.forLog(link) == shown)
  }

  @Test(arguments: [
    ("app://reset/SECRET", "app://reset/[redacted]"),
    ("APP://Reset//SECRET/?q=1", "APP://Reset//[redacted]/?q=1"),
    ("https://example.com/reset/SECRET#top", "https://example.com/reset/[redacted]#top"),
    ("app://mail/SECRET/7", "app://mail/[redacted]/7"),
    // Links that resemble a route but have too many or too few segments, or an invalid query.
    ("app://reset/SECRET/more", "app://reset/[redacted]/more"),
    ("app://reset/SECRET?q=%zz", "app://reset/[redacted]?q=%zz"),
    ("app://mail/SECRET", "app://mail/[redacted]"),
    ("app://files/a/b/SECRET", "app://files/a/b/[redacted]"),
    ("app://product/7", "app://product/7"),
    // Links that contain another link, plain or encoded.
    ("app://product/7?next=app://reset/SECRET", "app://product/7?next=[redacted]"),
    ("app://product/7?next=app%3A%2F%2Freset%2FSECRET&y=2", "app://product/7?next=[redacted]&y=2"),
    ("app://product/7?next=app%3A%2F%2Fproduct%2F8", "app://product/7?next=app%3A%2F%2Fproduct%2F8"),
  ])
  func `hides the values of a route's secret parameters`(link: String, shown: String) throws {
    let table = try table(
      [
        "reset/:token", "product/:id", "mail/:authCode/:number<int>", "files/**/:password",
      ], policy: seedPolicy(hosts: ["example.com"]))
    #expect(table.forLog(link) == shown)
  }

  @Test func `hides the secret parameters of a nested link in parameters`() throws {
    let table = try table(["reset/:token", "product/:id"], policy: seedPolicy(hosts: ["example.com"]))
    #expect(
      table.forLog(["next": "app://reset/SECRET", "list": [["back": "app://product/7"]]])
        == ["next": "app://reset/[redacted]", "list": [["back": "app://product/7"]]])
  }

  @Test func `hides secret parameters at any depth and shows all others`() {
    #expect(
      Redaction.forLog([
        "id": 7, "token": "SECRET", "next": "app://b?code=SECRET", "list": ["a", ["passWord": "SECRET"]],
        "session": "SECRET", "apiKey": "SECRET", "jwt": ["SECRET"],
      ]) == [
        "id": 7, "token": "[redacted]", "next": "app://b?code=[redacted]", "list": ["a", ["passWord": "[redacted]"]],
        "session": "[redacted]", "apiKey": "[redacted]", "jwt": "[redacted]",
      ])
  }

  @Test func `never reveals a secret at the end of a long text, or by truncating a text`() {
    let link = "app://a?" + String(repeating: "next=%2525252525252525", count: 100_000) + "&token=SECRET"
    #expect(!Redaction.forLog(link).contains("SECRET"))
    for padding in 0..<300 {
      let link = "app://a?" + String(repeating: "x", count: padding) + "&to%6ben=SECRET"
      #expect(!Redaction.forLog(link).contains("SECRET"))
    }
  }
}
