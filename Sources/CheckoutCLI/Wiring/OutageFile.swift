// Outages of the sandbox from a file that is read again whenever it changes.

import CheckoutSandbox
import Operations
import Synchronization

/// Reads the file of outages at most ten times a second. Any thread.
final class OutageFile: Sendable {
  private struct State {
    var outages = SandboxOutages()
    var text: [UInt8] = []
    var readAt: Int64?
  }

  private static let intervalNanoseconds: Int64 = 100_000_000
  private static let bytesMax = 65_536

  private let path: String
  private let log: Log
  private let state = Mutex(State())

  init(path: String, log: Log) {
    self.path = path
    self.log = log
  }

  /// Where the sandbox's outages come from: the file named, the one beside the ledger, or nowhere.
  static func source(_ settings: Settings, log: Log) -> @Sendable () -> SandboxOutages {
    let location = settings[Setup.gateways]
    let beside = location.hasPrefix("sandbox:") ? location.dropFirst("sandbox:".count) + ".outages" : nil
    guard let path = settings[Setup.sandboxOutages] ?? beside.map(String.init) else { return { SandboxOutages() } }
    let file = OutageFile(path: path, log: log)
    return { file.outages }
  }

  /// The outages as the file says now; without a file there are none. A file that cannot be used changes nothing.
  var outages: SandboxOutages {
    let now = SystemClock().bootNanoseconds()
    return state.withLock { state in
      if let readAt = state.readAt, now - readAt < Self.intervalNanoseconds { return state.outages }
      state.readAt = now
      let bytes =
        FileContents.isReadable(path) ? (try? FileContents.read(path, limitBytes: Self.bytesMax)) ?? [] : []
      guard bytes != state.text else { return state.outages }
      state.text = bytes
      do throws(SandboxOutages.Unreadable) {
        state.outages = try SandboxOutages(text: String(decoding: bytes, as: UTF8.self))
        log.warning("sandbox outages changed", [.detail: .text(path)])
      } catch {
        log.error("sandbox outages cannot be read", [.detail: .text("\(path): \(error)")])
      }
      return state.outages
    }
  }
}
