// Accounts and prices as every validation worker of a world sees them; whoever drives the world may change them.

package import CheckoutCore
import Synchronization

/// The present reference data. Any thread.
package final class ReferenceShelf: Sendable {
  private let state: Mutex<ReferenceData>

  init(_ data: ReferenceData) {
    state = Mutex(data)
  }

  /// What is known now.
  package var data: ReferenceData { state.withLock { data in data } }

  /// Changes it for everybody from now on.
  package func replace(_ data: ReferenceData) { state.withLock { $0 = data } }
}
