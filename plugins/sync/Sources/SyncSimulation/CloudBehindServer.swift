import FlowBytes
import SyncCloud
import SyncCore
import SyncEngine

/// A simulation's zone in a cloud database. As in `CloudZoneBackend`, each device decides on its own copy and saves the
/// result. The simulated service throttles requests, expires tokens and loses responses.
struct CloudBehindServer {
  private var cloud = SimulatedCloudZone()
  private var mirrors: [CloudMirror]
  private var random: SplitMix64
  private let faults: Double
  /// The number of saved commits, and the number of commits refused because another device had committed first.
  private(set) var (saves, conflicts) = (0, 0)

  init(devices: Int, store: StoreIdentity, seed: UInt64, faults: Double) {
    mirrors = Array(repeating: CloudMirror(store: store), count: devices)
    random = SplitMix64(seed: seed ^ 0xc10d)
    self.faults = faults
  }

  /// The zone before the first commit.
  var emptyZone: ZoneState { mirrors[0].zone }

  /// Returns the zone as a device currently reads it.
  mutating func read(_ device: Int, now: Int64, isFaulty: Bool) throws(BackendError) -> ZoneState {
    meetFault(isFaulty)
    for _ in 0..<3 {
      var pages: [CloudChanges] = []
      do throws(CloudZoneError) {
        repeat {
          let token = pages.last?.token ?? mirrors[device].token
          pages.append(try cloud.changes(since: token, serverMilliseconds: now))
        } while pages.last?.hasMore == true
      } catch .zoneNotFound {
        mirrors[device].forget()
        return mirrors[device].zone
      } catch .tokenExpired {
        mirrors[device].forget()
        continue
      } catch {
        throw error.backendError
      }
      try mirrors[device].take(pages)
      return mirrors[device].zone
    }
    throw .unavailable("the zone cannot be read", retryAfterMilliseconds: 1000)
  }

  /// Commits operations of a device. Returns the response and the resulting zone.
  mutating func commit(
    _ operations: [RecordOperation], heard: Cursor?, store: StoreIdentity?, _ device: Int, now: Int64, isFaulty: Bool
  ) throws(BackendError) -> (reply: CommitReply, zone: ZoneState) {
    var isFresh = false
    if mirrors[device].token == nil {
      isFresh = true
      _ = try read(device, now: now, isFaulty: isFaulty)
    }
    for _ in 0..<10 {
      let prepared: CloudMirror.Prepared
      do throws(BackendError) {
        prepared = try mirrors[device].prepare(operations, heard: heard, store: store, serverMilliseconds: now)
      } catch {
        if isFresh { throw error }
        isFresh = true
        _ = try read(device, now: now, isFaulty: isFaulty)
        continue
      }
      if !isFresh, prepared.isDecidedByOthers {
        isFresh = true
        _ = try read(device, now: now, isFaulty: isFaulty)
        continue
      }
      guard let modification = prepared.modification else { return (prepared.reply, mirrors[device].zone) }
      meetFault(isFaulty)
      do throws(CloudZoneError) {
        let saved = try cloud.modify(modification, serverMilliseconds: now)
        mirrors[device].take(prepared, saved: saved)
        saves += 1
        return (prepared.reply, mirrors[device].zone)
      } catch {
        guard error.isConflict else { throw error.backendError }
        conflicts += 1
        isFresh = true
        _ = try read(device, now: now, isFaulty: isFaulty)
      }
    }
    throw .unavailable("the zone is changed all the time", retryAfterMilliseconds: 1000)
  }

  private mutating func meetFault(_ isFaulty: Bool) {
    guard isFaulty, faults > 0, Double.random(in: 0..<1, using: &random) < faults else { return }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: cloud.faults = [.error(.throttled(retryAfterMilliseconds: Int64.random(in: 500...8000, using: &random)))]
    case 1: cloud.expireTokens()
    default: cloud.faults = [.error(.partial(["r": .failed("the service was busy")]))]
    }
  }
}
