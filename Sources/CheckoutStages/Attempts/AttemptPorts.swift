// The four ports an attempt needs.

package import CheckoutCore

/// The services and the journal that a desk works with.
package struct AttemptPorts: Sendable {
  /// Where every step is made durable before it is acted on.
  package let journal: any Journal
  /// Holds and sales of stock.
  package let inventory: any InventoryGateway
  /// Charges, and giving money back.
  package let payment: any PaymentGateway
  /// Receipts to customers.
  package let receipt: any ReceiptGateway

  /// The four ports.
  package init(
    journal: any Journal, inventory: any InventoryGateway, payment: any PaymentGateway, receipt: any ReceiptGateway
  ) {
    self.journal = journal
    self.inventory = inventory
    self.payment = payment
    self.receipt = receipt
  }

  /// What the services promise.
  package var traits: ProviderTraits {
    ProviderTraits(
      inventoryConfirms: inventory.confirms, payment: payment.traits, receiptKeyWindow: receipt.keyWindow)
  }
}
