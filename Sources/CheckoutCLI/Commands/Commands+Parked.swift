// The table of commands: people's work list.

import Operations

extension Commands {
  private static let filters = [
    FlagSpec("merchant", value: "ID", help: "only this merchant's"),
    FlagSpec("reason", value: "REASON", help: "only those parked for this reason"),
    FlagSpec("older-than", value: "DURATION", help: "only those parked for at least so long"),
  ]

  private static let saying = [
    FlagSpec("note", value: "TEXT", help: "why; goes into the attempt's history"),
    FlagSpec("who", value: "NAME", help: "who says so (default USER@HOST)"),
    FlagSpec("version", value: "N", help: "the row's version you looked at; another one now: exit code 4"),
    FlagSpec("key", value: "KEY", help: "the idempotency key, if the checkout has several parked attempts"),
    FlagSpec("wait", help: "wait until reconciliation has applied it, and show what came of it"),
    FlagSpec("timeout", value: "DURATION", help: "how long --wait waits (default 60s)"),
  ]

  /// `parked list|show|retry|resolve`.
  static let parked = [
    CommandSpec(
      "parked list", summary: "Lists attempts that wait for a person, longest waiting first.",
      discussion: """
        Reads the journal beside running workers. MONEY says where the customer's money is: held (with us), owed back, \
        none, or unknown. Ends with exit code 0 also if something is parked.
        """,
      flags: filters + [FlagSpec("limit", value: "N", help: "show at most so many (default 100)"), journal, json],
      examples: [
        "checkout parked list", "checkout parked list --reason refund_refused --older-than 1h",
        "checkout parked list --merchant shop-eu --json",
      ]),
    CommandSpec(
      "parked show", summary: "Shows a parked attempt: what is owed, its history, and what can be done.",
      positionals: [PositionalSpec("CHECKOUT_ID")],
      flags: [
        FlagSpec("merchant", value: "ID", help: "if several merchants use this checkout id"),
        FlagSpec("key", value: "KEY", help: "the idempotency key, if the checkout has several parked attempts"),
        journal, json,
      ],
      examples: ["checkout parked show chk_000045", "checkout parked show chk_000045 --json"]),
    CommandSpec(
      "parked retry", summary: "Lets parked attempts go on where they stopped.",
      discussion: """
        Writes nothing itself: publishes checkout.parked.retry with the version of the row it has read; the \
        reconciliation stage applies it, works on, and publishes the outcome. If somebody else changes the attempt \
        first, the word has no effect (exit code 4).
        """,
      positionals: [PositionalSpec("CHECKOUT_ID", isRequired: false, repeats: true)],
      flags: [FlagSpec("all", help: "all that --merchant, --reason and --older-than leave")] + filters + saying + [
        journal, json,
      ],
      examples: [
        "checkout parked retry chk_000045 --note \"address corrected\" --wait",
        "checkout parked retry --all --reason receipt_budget_spent \\\n    --note \"service is back\"",
      ]),
    CommandSpec(
      "parked resolve", summary: "Closes a parked attempt by hand, with evidence.",
      discussion: """
        As for retry, with checkout.parked.resolve. The outcome checkout.completed, failed or cancelled is published; \
        stock is given back before an unpaid end. While money is with us, failed and cancelled are refused unless \
        --refunded-outside says how it went back.
        """,
      positionals: [PositionalSpec("CHECKOUT_ID")],
      flags: [
        FlagSpec("as", value: "completed|failed|cancelled", help: "how it ends"),
        FlagSpec("receipt-url", value: "URL", help: "the receipt the customer got otherwise (completed only)"),
        FlagSpec("refunded-outside", value: "ID", help: "the refund made in the provider's dashboard"),
        FlagSpec("merchant", value: "ID", help: "if several merchants use this checkout id"),
      ] + saying + [journal, json],
      examples: [
        "checkout parked resolve chk_000045 --as completed \\\n"
          + "    --receipt-url https://shop.example/r/45 --note \"sent by hand\" --wait",
        "checkout parked resolve chk_000057 --as failed \\\n"
          + "    --refunded-outside re_3Nf81 --note \"refunded in the dashboard\"",
      ]),
  ]
}
