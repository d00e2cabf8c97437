import FlowModel
import FlowPluginKit
import FlowTestKit
import Testing

@testable import PreferencesPlugin

/// Calls actions of the plugin with a store in memory and with given environment variables.
struct PreferenceRun {
  let store: MemoryKeyValueStore
  let host: TestHost

  init(saved: [String: Value] = [:], environment: [String: String] = [:]) {
    store = MemoryKeyValueStore(saved, in: ManagerRoster.scope)
    let plugin = PreferencesPlugin(system: EnvironmentPreferences { environment[$0] })
    var handles: [HandleKey: any Sendable] = [.keyValueStore: store]
    for handle in plugin.handles { handles[handle.key] = handle.handle }
    host = TestHost(handles: handles)
  }

  func call(_ action: any ActionType.Type, _ inputs: ValueObject = [:]) async throws -> ValueObject {
    try await host.call(action, with: inputs)
  }

  func code(_ action: any ActionType.Type, _ inputs: ValueObject) async -> String? {
    do {
      _ = try await call(action, inputs)
      return nil
    } catch {
      return (error as? ActionError)?.code ?? "\(error)"
    }
  }
}

struct `The managers of the launch` {
  @Test func `L10: reports that no user is signed in on a new device`() async throws {
    #expect(try await PreferenceRun().call(CheckAccount.self)["signed-in"] == false)
  }

  @Test func `L10: loads the account of a signed-in user`() async throws {
    let run = PreferenceRun(saved: ["account": ["id": "001", "name": "小明"]])
    #expect(
      try await run.call(CheckAccount.self) == ["signed-in": true, "id": "001", "name": "小明", "email": nil])
  }

  @Test(arguments: [Value.string("001"), ["name": "nobody"], ["id": ""], ["id": 1], nil])
  func `L10: ignores a saved value that is not an account`(_ saved: Value) async throws {
    #expect(try await PreferenceRun(saved: ["account": saved]).call(CheckAccount.self)["signed-in"] == false)
  }

  @Test func `L11: prefers the saved language to the system's`() async throws {
    let run = PreferenceRun(saved: ["language": "zh-Hans"], environment: ["LANG": "en_GB.UTF-8"])
    #expect(try await run.call(ChooseLanguage.self) == ["language": "zh-Hans", "source": "saved"])
  }

  @Test func `L11: uses the system's language if none is saved`() async throws {
    let run = PreferenceRun(environment: ["LANG": "zh_CN.UTF-8"])
    #expect(try await run.call(ChooseLanguage.self) == ["language": "zh-Hans", "source": "system"])
    #expect(run.host.logs.isEmpty)
  }

  @Test func `L11: uses the default language if the preferred one is not supported, and warns`() async throws {
    let run = PreferenceRun(saved: ["language": "fr"], environment: ["LANG": "C.UTF-8"])
    #expect(try await run.call(ChooseLanguage.self) == ["language": "en", "source": "default"])
    #expect(run.host.logLines == [.init(level: .warning, "the language 'fr' is not supported; using 'en'")])
  }

  @Test func `L11: prefers an override to all other languages, and ignores an empty override`() async throws {
    let run = PreferenceRun(saved: ["language": "zh-Hans"])
    #expect(try await run.call(ChooseLanguage.self, ["override": "en-US"]) == ["language": "en", "source": "override"])
    #expect(try await run.call(ChooseLanguage.self, ["override": ""])["source"] == "saved")
  }

  @Test func `L11: refuses an unsupported fallback before and during the run`() async {
    let inputs: ValueObject = ["supported": ["de", "no language"], "fallback": "en"]
    #expect(ChooseLanguage.check(LiteralInput(inputs)).map(\.keyPath) == ["supported[1]", "fallback"])
    #expect(await PreferenceRun().code(ChooseLanguage.self, inputs) == "fallback-unsupported")
    #expect(ChooseLanguage.check(LiteralInput([:])).isEmpty)
  }

  @Test func `L13: prefers the saved color, given as a name or a code, to the default`() async throws {
    let named = PreferenceRun(saved: ["brand-color": "ocean"])
    #expect(try await named.call(ChooseBrandColor.self) == ["name": "ocean", "code": "#1B75BC", "source": "saved"])
    let own = PreferenceRun(saved: ["brand-color": "#00ff7F"])
    #expect(try await own.call(ChooseBrandColor.self)["code"] == "#00ff7F")
    for saved: [String: Value] in [[:], ["brand-color": "gone from the palette"], ["brand-color": 7]] {
      #expect(
        try await PreferenceRun(saved: saved).call(ChooseBrandColor.self)
          == ["name": "footprint", "code": "#F75C62", "source": "default"])
    }
  }

  @Test func `L13: warns if the saved color is not in the palette`() async throws {
    let run = PreferenceRun(saved: ["brand-color": "lavender"])
    _ = try await run.call(ChooseBrandColor.self)
    #expect(
      run.host.logLines == [
        .init(level: .warning, "the palette has no color 'lavender', which was saved; using 'footprint'")
      ])
  }

  @Test func `L13: refuses a palette with an invalid color or without the default color`() async {
    let run = PreferenceRun()
    #expect(await run.code(ChooseBrandColor.self, ["default": "none"]) == "palette-invalid")
    #expect(await run.code(ChooseBrandColor.self, ["palette": [:]]) == "palette-invalid")
    let inputs: ValueObject = ["palette": ["a": "#12345", "b": "#123456"]]
    #expect(await run.code(ChooseBrandColor.self, inputs) == "palette-invalid")
    #expect(ChooseBrandColor.check(LiteralInput(inputs)).map(\.keyPath) == ["palette.a"])
  }

  @Test func `L14: prefers the saved appearance to the system's, and the system's to the default`() async throws {
    let saved = PreferenceRun(saved: ["appearance": "light"], environment: ["GTK_THEME": "Adwaita:dark"])
    #expect(try await saved.call(ChooseAppearance.self) == ["appearance": "light", "source": "saved"])
    let follows = PreferenceRun(saved: ["appearance": "system"], environment: ["GTK_THEME": "Adwaita:dark"])
    #expect(try await follows.call(ChooseAppearance.self) == ["appearance": "dark", "source": "system"])
    #expect(
      try await PreferenceRun().call(ChooseAppearance.self, ["default": "dark"])
        == ["appearance": "dark", "source": "default"])
  }

  @Test func `L16: creates each manager once per run and removes it at the end of the run`() async throws {
    let run = PreferenceRun()
    let roster: ManagerRoster = try #require(run.host.handle(ManagerRoster.key))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        group.addTask {
          _ = try await run.call(ChooseLanguage.self)
          _ = try await run.call(ChooseAppearance.self)
        }
      }
      try await group.waitForAll()
    }
    // Each manager reads the store once, so two reads mean that there was only one manager of each kind.
    #expect(run.store.readCount == 2)
    #expect(roster.runCount == 1)
    try run.host.closeHandles()
    #expect(roster.runCount == 0)
  }

  @Test func `fails a step if the store cannot be read, and reads it again in the next attempt`() async throws {
    let run = PreferenceRun()
    run.store.fail(with: ActionError("store-locked", "locked"))
    #expect(await run.code(ChooseAppearance.self, [:]) == "store-locked")
    run.store.fail(with: nil)
    #expect(try await run.call(ChooseAppearance.self)["source"] == "default")
  }
}

struct `Saving and loading preferences` {
  @Test func `updates the managers with saved values`() async throws {
    let run = PreferenceRun()
    #expect(try await run.call(ChooseAppearance.self)["source"] == "default")
    _ = try await run.call(SetPreference.self, ["key": "appearance", "value": "dark"])
    _ = try await run.call(SetPreference.self, ["key": "language", "value": "zh-Hans"])
    _ = try await run.call(SetPreference.self, ["key": "account", "value": ["id": "7"]])
    _ = try await run.call(SetPreference.self, ["key": "brand-color", "value": "#000000"])
    #expect(try await run.call(ChooseAppearance.self) == ["appearance": "dark", "source": "saved"])
    #expect(try await run.call(ChooseLanguage.self)["language"] == "zh-Hans")
    #expect(try await run.call(CheckAccount.self)["id"] == "7")
    #expect(try await run.call(ChooseBrandColor.self)["code"] == "#000000")
    _ = try await run.call(SetPreference.self, ["key": "appearance", "value": nil])
    #expect(try await run.call(ChooseAppearance.self)["source"] == "default")
  }

  @Test(
    arguments: [
      ("appearance", "dim"), ("language", "klingon!"), ("language", 3), ("brand-color", "#12"), ("brand-color", ""),
      ("account", ["name": "x"]),
    ] as [(String, Value)])
  func `refuses, before and during the run, a value that its manager cannot use`(_ key: String, _ value: Value)
    async throws
  {
    let run = PreferenceRun()
    let inputs: ValueObject = ["key": .string(key), "value": value]
    #expect(SetPreference.check(LiteralInput(inputs)).map(\.keyPath) == ["value"])
    #expect(await run.code(SetPreference.self, inputs) == "preference-invalid")
    #expect(try run.store.all(in: ManagerRoster.scope).isEmpty)
  }

  @Test func `accepts only keys of 1 to 128 bytes`() async {
    let run = PreferenceRun()
    for (key, expected) in [("", "preference-invalid"), (String(repeating: "k", count: 129), "preference-invalid")] {
      #expect(await run.code(SetPreference.self, ["key": .string(key), "value": 1]) == expected)
      #expect(SetPreference.check(LiteralInput(["key": .string(key)])).map(\.keyPath) == ["key"])
    }
    #expect(
      await run.code(SetPreference.self, ["key": .string(String(repeating: "k", count: 128)), "value": 1]) == nil)
  }

  @Test func `L29: loads all valid preferences and reports the others`() async throws {
    let run = PreferenceRun(saved: ["appearance": "dark", "language": 5, "zoom": 3])
    #expect(try await run.call(LoadPreferences.self) == ["entries": ["appearance": "dark", "zoom": 3], "count": 2])
    #expect(
      run.host.logs == ["the saved preference 'language' cannot be used: a language is a tag such as zh-Hans or en"])
  }
}

struct `The system's preferences` {
  @Test(
    arguments: [
      (["LANG": "de_DE.UTF-8"], ["de-DE"]), (["LANG": "C"], []), (["LANG": "C.UTF-8"], []), (["LANG": "POSIX"], []),
      ([:], []),
      (["LANG": "de_DE", "LC_ALL": "fr_FR"], ["fr-FR"]), (["LANG": "de_DE", "LC_ALL": ""], ["de-DE"]),
      (["LANG": "zh_TW", "LANGUAGE": "zh_TW:zh:en"], ["zh-TW", "zh", "en"]), (["LANG": "C", "LANGUAGE": "fr"], []),
      (["LANG": "sr_RS@latin"], ["sr-Latn-RS"]), (["LANG": "ca_ES.UTF-8@valencia"], ["ca-ES"]),
    ] as [([String: String], [String])])
  func `L11: lists the languages of the environment in the order defined by gettext`(
    _ environment: [String: String], _ expected: [String]
  ) {
    #expect(EnvironmentPreferences { environment[$0] }.languages == expected)
  }

  @Test(
    arguments: [
      ([:], ["de-DE", "en"]), (["LANG": ""], ["de-DE", "en"]), (["LANG": "C"], []), (["LANG": "fr_FR"], ["fr-FR"]),
    ] as [([String: String], [String])])
  func `L11: lists the system's languages if the environment sets no locale, as in an app`(
    _ environment: [String: String], _ expected: [String]
  ) {
    let preferences = EnvironmentPreferences({ environment[$0] }, systemLanguages: ["de-DE", "en"])
    #expect(preferences.languages == expected)
  }

  @Test(
    arguments: [
      ("zh-CN", "zh-Hans"), ("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("zh", "zh-Hans"), ("zh-Hant-CN", "zh-Hant"),
      ("EN-us", "en"), ("en-GB", "en-GB"), ("en-AU", "en"), ("fr", nil), ("pt", "pt-BR"),
    ] as [(String, String?)])
  func `L11: matches a language with the most similar supported one`(_ wish: String, _ expected: String?) {
    #expect(LanguageMatch.best(for: wish, among: ["en-GB", "en", "zh-Hans", "zh-Hant", "pt-BR"]) == expected)
  }

  @Test func `L11: does not match traditional Chinese with simplified Chinese`() {
    #expect(LanguageMatch.best(for: "zh-TW", among: ["en", "zh-Hans"]) == nil)
  }

  @Test(
    arguments: [
      ([:], nil), (["GTK_THEME": "Adwaita:dark"], .dark), (["GTK_THEME": "Adwaita"], .light),
      (["COLORFGBG": "15;0"], .dark), (["COLORFGBG": "0;15"], .light), (["COLORFGBG": "0;default;7"], .light),
      (["COLORFGBG": "what"], nil),
    ] as [([String: String], Appearance?)])
  func `L14: reads the appearance from the environment`(
    _ environment: [String: String], _ expected: Appearance?
  ) {
    #expect(EnvironmentPreferences { environment[$0] }.appearance == expected)
  }
}
