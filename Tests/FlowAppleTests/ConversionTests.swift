import FlowModel
import Foundation
import LocationPlugin
import NotificationPlugin
import RouterCore
import Synchronization
import Testing

@testable import FlowApple

/// Payloads as push services and UIKit deliver them, with numbers of Foundation and keys of any type.
struct `Foundation values` {
  @Test func `numbers from Foundation stay numbers, and Booleans stay Booleans`() {
    #expect(Value(foundation: NSNumber(value: 1)) == .integer(1))
    #expect(Value(foundation: NSNumber(value: true)) == .boolean(true))
    #expect(Value(foundation: NSNumber(value: 1.5)) == .number(1.5))
    #expect(Value(foundation: NSNumber(value: UInt64.max)) == .number(Double(UInt64.max)))
    #expect(Value(foundation: 1) == .integer(1))
    #expect(Value(foundation: true) == .boolean(true))
    #expect(Value(foundation: UInt8(7)) == .integer(7))
  }

  @Test func `values that JSONSerialization has read keep their types`() throws {
    let json =
      #"{"aps":{"content-available":1,"alert":{"title":"x"},"mutable":true},"n":[1,2.5,null],"route":"app://a"}"#
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [AnyHashable: Any])
    #expect(Value.object(ValueObject(userInfo: object)) == (try JSONText.parse(json)))
  }

  @Test func `dates, URLs and data become strings, and unsupported Foundation values are omitted`() throws {
    struct Other {}
    let object = ValueObject(userInfo: [
      "at": Date(timeIntervalSince1970: 0), "url": try #require(URL(string: "https://example.com/a")),
      "bytes": Data([1, 2, 3]), "other": Other(), 5: "a key that is not a text", "null": NSNull(),
    ])
    #expect(
      object == [
        "at": "1970-01-01T00:00:00Z", "url": "https://example.com/a", "bytes": "AQID", "null": .null,
      ])
  }

  @Test func `a payload stays unchanged when converted to Foundation and back`() {
    let payload: ValueObject = [
      "aps": ["alert": ["title": "新商品"], "badge": 1, "content-available": 0], "flag": true, "list": [1, .null, 2.5],
    ]
    #expect(ValueObject(userInfo: payload.userInfo) == payload)
  }
}

struct `A launch described by UIKit` {
  private let web = "https://example.com/x"

  @Test func `a launch with several user activities uses the one with a web page`() {
    let restored = LaunchValues.userActivity(type: "com.example.restore", webpageURL: nil)
    let page = LaunchValues.userActivity(type: "NSUserActivityTypeBrowsingWeb", webpageURL: web)
    for activities in [[restored, page], [page, restored]] {
      let launch = Launch(values: LaunchValues.connectionOptions(userActivities: activities))
      #expect(launch.reason == .url)
      #expect(LaunchOptions(launch.options, for: launch.reason).link?.url == web)
    }
  }

  @Test func `an app that is restored without a link counts as launched by the user`() {
    let restored = LaunchValues.userActivity(type: "com.example.restore", webpageURL: nil)
    #expect(Launch(values: LaunchValues.connectionOptions(userActivities: [restored])).reason == .user)
    #expect(Launch(values: [:]).reason == .user)
  }

  @Test func `a launch by a notification's action button reports the action and reply, and opens no link`() {
    let options = LaunchValues.connectionOptions(
      notificationResponse: LaunchValues.notificationResponse(
        identifier: "n", userInfo: ["route": "app://chat/1"], action: "MARK_READ", userText: "hi"))
    let launch = Launch(values: options)
    let found = LaunchOptions(launch.options, for: launch.reason)
    #expect(launch.reason == .notification)
    #expect(found.arrival == .action && found.action == "MARK_READ" && found.reply == "hi" && found.link == nil)
  }

  @Test func `a launch contains the route, parameters and identifier of a tapped notification`() throws {
    let options = LaunchValues.connectionOptions(
      notificationResponse: LaunchValues.notificationResponse(
        identifier: "n1", userInfo: ["route": "app://product/5", "parameters": #"{"price":"7"}"#],
        action: "com.apple.UNNotificationDefaultActionIdentifier"))
    let launch = Launch(values: options)
    let link = try #require(LaunchOptions(launch.options, for: launch.reason).link)
    #expect(link.url == "app://product/5" && link.parameters == ["price": "7"] && link.notificationID == "n1")
  }

  @Test func `a dismissed notification does not count as the reason for a launch`() {
    let options = LaunchValues.connectionOptions(
      notificationResponse: LaunchValues.notificationResponse(
        identifier: "n", userInfo: [:], action: "com.apple.UNNotificationDismissActionIdentifier"))
    #expect(Launch(values: options).reason == .user)
    #expect(Launch(values: options, isInBackground: true).reason == .background)
  }

  @Test func `a launch opens the link in the URL contexts of a scene`() {
    let options = LaunchValues.connectionOptions(
      urlContexts: [LaunchValues.urlContext(url: "app://page/1", sourceApplication: "com.example.other")])
    let launch = Launch(values: options)
    #expect(launch.reason == .url)
    #expect(LaunchOptions(launch.options, for: launch.reason).link?.url == "app://page/1")
  }

  @Test func `UIKit launch options are converted to the names that the router reads`() {
    let names = [
      "UIApplicationLaunchOptionsURLKey": "url",
      "UIApplicationLaunchOptionsRemoteNotificationKey": "remoteNotification",
      "UIApplicationLaunchOptionsLocationKey": "location", "UIApplicationLaunchOptionsShortcutItemKey": "shortcutItem",
      "UIApplicationLaunchOptionsUserActivityDictionaryKey": "userActivityDictionary",
      "UIApplicationLaunchOptionsCloudKitShareMetadataKey": "cloudKitShareMetadata",
      "UIApplicationLaunchOptionsBluetoothCentralsKey": "bluetoothCentrals", "mine": "mine",
    ]
    for (key, name) in names { #expect(LaunchValues.name(ofLaunchOption: key) == name) }
    #expect(names.values.allSatisfy { $0 == "mine" || LaunchOptions.Key(rawValue: $0) != nil })
  }

  @Test func `a launch opens the link of a push in the foreground, but not in the background`() throws {
    let options = LaunchValues.launchOptions([
      "UIApplicationLaunchOptionsRemoteNotificationKey": [
        "aps": ["alert": "x"] as [AnyHashable: Any], "route": "app://chat/1",
      ] as [AnyHashable: Any]
    ])
    let launch = Launch(values: options)
    #expect(launch.reason == .notification)
    #expect(LaunchOptions(launch.options, for: launch.reason).link?.url == "app://chat/1")
    // In the background, the same payload wakes the app and opens nothing.
    let silent = Launch(values: options, isInBackground: true)
    #expect(silent.reason == .background)
    #expect(LaunchOptions(silent.options, for: silent.reason).link == nil)
  }

  @Test func `UIKit objects in launch options are converted, and unknown ones are marked as present`() {
    final class Activity {}
    final class ShareMetadata {}
    let options = LaunchValues.launchOptions([
      "UIApplicationLaunchOptionsUserActivityDictionaryKey": [
        "UIApplicationLaunchOptionsUserActivityTypeKey": "NSUserActivityTypeBrowsingWeb",
        "UIApplicationLaunchOptionsUserActivityKey": Activity(),
      ] as [AnyHashable: Any],
      "UIApplicationLaunchOptionsCloudKitShareMetadataKey": ShareMetadata(),
    ]) { $0 is Activity ? LaunchValues.userActivity(type: "NSUserActivityTypeBrowsingWeb", webpageURL: web) : nil }
    let launch = Launch(values: options)
    #expect(launch.reason == .url && launch.options["cloudKitShareMetadata"] == true)
    #expect(LaunchOptions(launch.options, for: launch.reason).link?.url == web)
  }

  @Test func `a background launch caused by a location update has the launch reason location`() {
    let options = LaunchValues.launchOptions(["UIApplicationLaunchOptionsLocationKey": NSNumber(value: true)])
    #expect(Launch(values: options, isInBackground: true).reason == .location)
  }
}

/// Payloads in the format of other push services. Only the app's own `route` opens a page.
struct `A push notification from another service` {
  /// Firebase Cloud Messaging puts the app's data next to `aps`, as strings.
  private static let firebase = #"""
    {"aps":{"alert":{"title":"Sale","body":"Today"},"badge":1,"mutable-content":1},"gcm.message_id":"1699999999999999",
    "google.c.a.e":"1","google.c.sender.id":"123456789012","fcm_options":{"image":"https://example.com/a.png"},
    "route":"app://product/5","parameters":"{\"price\":\"7\"}"}
    """#
  /// OneSignal nests the app's data and the link of the message in `custom`.
  private static let oneSignal = #"""
    {"aps":{"alert":"Hi","sound":"default"},"custom":{"i":"3b9c6a3e-0c2e-4c5e-9a0f-2d3e4f5a6b7c","u":"https://example.com/x",
    "a":{"route":"app://product/5"}},"att":{"id":"https://example.com/a.png"}}
    """#
  /// Airship's keys contain characters that are not letters.
  private static let airship = #"""
    {"aps":{"alert":"Hi","content-available":1},"_":"a1b2c3","com.urbanairship.metadata":"eyJ2IjoxfQ==","^d":"app://product/5",
    "^+t":["vip",null],"com.urbanairship.interactive_actions":{"yes":{"^t":2.50}}}
    """#
  /// Branch puts its link in `branch`.
  private static let branch = #"{"aps":{"alert":"Hi"},"branch":"https://abcd.app.link/xyz?$deeplink_path=product%2F5"}"#
  /// AppsFlyer puts the parameters of its link in `af`.
  private static let appsFlyer = #"""
    {"aps":{"alert":"Hi","badge":0},"af":{"pid":"push_provider_int","c":"spring","is_retargeting":true,"af_sub1":null},
    "deep_link_value":"product/5"}
    """#

  private func userInfo(_ json: String) throws -> [AnyHashable: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [AnyHashable: Any])
  }

  private func tap(_ json: String) throws -> Launch {
    let response = LaunchValues.notificationResponse(
      identifier: "n1", userInfo: try userInfo(json), action: "com.apple.UNNotificationDefaultActionIdentifier")
    return Launch(values: LaunchValues.connectionOptions(notificationResponse: response))
  }

  @Test(arguments: [firebase, oneSignal, airship, branch, appsFlyer]) func `a push keeps its members and their types`(
    json: String
  ) throws {
    let payload = try JSONText.parse(json)
    #expect(Value.object(ValueObject(userInfo: try userInfo(json))) == payload)
    let object = try #require(payload.objectValue)
    #expect(ValueObject(userInfo: object.userInfo) == object)
    let response = try #require(tap(json).options["notificationResponse"]?.objectValue)
    let content = response["notification"]?.objectValue?["request"]?.objectValue?["content"]?.objectValue
    #expect(content?["userInfo"] == payload)
  }

  @Test func `a push opens the page of its route, with parameters from JSON text`() throws {
    let launch = try tap(Self.firebase)
    let link = try #require(LaunchOptions(launch.options, for: launch.reason).link)
    #expect(launch.reason == .notification)
    #expect(link.url == "app://product/5" && link.parameters == ["price": "7"])
  }

  @Test(arguments: [oneSignal, airship, branch, appsFlyer]) func `a push without an app route opens no page`(
    json: String
  ) throws {
    let launch = try tap(json)
    #expect(launch.reason == .notification)
    #expect(LaunchOptions(launch.options, for: launch.reason).link == nil)
  }

  @Test(arguments: [
    "https://abcd.app.link/xyz?$deeplink_path=product%2F5&_branch_match_id=1&utm_source=a%26b",
    "https://abcd.onelink.me/H5hv?pid=a&deep_link_value=product/5&af_dp=app%3A%2F%2Fproduct%2F5#top",
  ]) func `a universal link is opened unchanged`(url: String) throws {
    let activity = LaunchValues.userActivity(type: "NSUserActivityTypeBrowsingWeb", webpageURL: url)
    let launch = Launch(values: LaunchValues.connectionOptions(userActivities: [activity]))
    #expect(LaunchOptions(launch.options, for: launch.reason).link?.url == url)
  }
}

struct `The app's life cycle` {
  private let foreground = "UIApplicationWillEnterForegroundNotification"
  private let background = "UIApplicationDidEnterBackgroundNotification"

  @Test func `an app reports that it enters the foreground only if it was in the background`() {
    var relay = LifecycleRelay(startsInBackground: false)
    let events = [foreground, background, background, foreground, foreground].map { relay.event(for: $0) }
    #expect(events == [nil, .appDidEnterBackground, nil, .appWillEnterForeground, nil])
  }

  @Test func `an app that was launched in the background reports once that it enters the foreground`() {
    var relay = LifecycleRelay(startsInBackground: true)
    let events = ["UISceneWillEnterForegroundNotification", foreground, "UIApplicationDidBecomeActiveNotification"]
      .map { relay.event(for: $0) }
    #expect(events == [.appWillEnterForeground, nil, nil])
  }
}

struct `Core Location positions` {
  @Test func `Core Location positions have the time since the first one, and no elevation if it is unknown`() {
    var maker = PositionMaker()
    func position(_ accuracy: Double, _ vertical: Double, _ seconds: Double) -> Position? {
      maker.position(
        latitude: 48.1, longitude: 11.6, horizontalAccuracy: accuracy, altitude: 519, verticalAccuracy: vertical,
        atSeconds: seconds)
    }
    #expect(position(-1, 5, 90) == nil)
    #expect(position(5, -1, 100) == Position(latitude: 48.1, longitude: 11.6, elapsed: .zero))
    #expect(position(5, 3, 102.5)?.elapsed == .milliseconds(2500))
    #expect(position(5, 3, 99) == Position(latitude: 48.1, longitude: 11.6, elevationMeters: 519, elapsed: .zero))
  }

  @Test func `Core Location authorization statuses are converted to the plugin's values`() {
    #expect(
      (0...5).map { LocationAuthorization(coreLocationStatus: $0) }
        == [.notDetermined, .restricted, .denied, .always, .whenInUse, .denied])
  }
}

struct `Device notifications` {
  private final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    var all: [String] { entries.withLock { $0 } }
    func add(_ text: String) { entries.withLock { $0.append(text) } }
  }

  @Test func `device notifications are queued until the run can receive them, as after a tap that launches the app`() {
    let (inbox, log) = (NotificationInbox(), Log())
    for id in ["a", "b"] { inbox.deliver(NotificationDelivery(id: id, kind: .tapped, payload: [:])) }
    inbox.setDelegate { log.add($0.id) }
    inbox.deliver(NotificationDelivery(id: "c", kind: .received, payload: [:]))
    inbox.setDelegate(nil)
    inbox.deliver(NotificationDelivery(id: "d", kind: .received, payload: [:]))
    #expect(log.all == ["a", "b", "c"])
    inbox.setDelegate { log.add($0.id) }
    #expect(log.all == ["a", "b", "c", "d"])
  }

  @Test func `device notifications keep their order if one arrives while another is being delivered`() {
    let (inbox, log) = (NotificationInbox(), Log())
    inbox.setDelegate { delivery in
      if delivery.id == "a" { inbox.deliver(NotificationDelivery(id: "b", kind: .tapped, payload: [:])) }
      log.add(delivery.id)
    }
    inbox.deliver(NotificationDelivery(id: "a", kind: .tapped, payload: [:]))
    #expect(log.all == ["a", "b"])
  }

  @Test func `a device notification that does not fit in the queue is completed as failed`() {
    let (inbox, log) = (NotificationInbox(), Log())
    for number in 0...NotificationInbox.limit {
      inbox.deliver(
        NotificationDelivery(id: "\(number)", kind: .received, payload: [:]) { log.add("\(number) \($0)") })
    }
    #expect(log.all == ["\(NotificationInbox.limit) failed"])
  }

  @Test func `scheduled device notifications have the text, sound, badge and times of their requests`() {
    let payload: ValueObject = ["aps": ["alert": ["title": "News", "body": "Tap"], "sound": "default", "badge": 2]]
    let once = NotificationContent(NotificationRequest(id: "a", payload: payload, delay: .zero))
    #expect(once.title == "News" && once.body == "Tap" && once.hasSound && once.badge == 2)
    #expect(once.seconds > 0 && !once.repeats)
    let often = NotificationContent(
      NotificationRequest(id: "a", payload: payload, delay: .seconds(5), interval: .seconds(60)))
    #expect(often.seconds == 60 && often.repeats)
  }
}

@Test func `device preferences list the languages in the device's settings`() {
  #expect(DevicePreferences(languages: ["zh-Hans-CN", "en"], appearance: .dark).languages == ["zh-Hans-CN", "en"])
}
