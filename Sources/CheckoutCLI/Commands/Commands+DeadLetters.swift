// The table of commands: dead letters.

import Operations

extension Commands {
  private static let choice = [
    FlagSpec("code", value: "CODE", help: "only those that failed with this code"),
    FlagSpec("stage", value: "STAGE", help: "only those this stage gave up"),
    FlagSpec("topic", value: "TOPIC", help: "only those that came from this topic"),
  ]

  /// `dead-letters list|show|redrive`.
  static let deadLetters = [
    CommandSpec(
      "dead-letters list", summary: "Lists dead letters: where each came from, why, and how often it has failed.",
      discussion: """
        An id is PARTITION-OFFSET on the dead letters' topic. STATE is new, redriven (sent again already), parked \
        (failed three times) or foreign (no dead letter of ours).
        """,
      positionals: [PositionalSpec("ID", isRequired: false, repeats: true)],
      flags: choice + [
        FlagSpec("state", value: "STATE", help: "only new, redriven, parked or foreign ones"),
        FlagSpec("limit", value: "N", help: "show at most so many, the last ones (default 100)"), json,
      ],
      examples: [
        "checkout dead-letters list --brokers localhost:9092",
        "checkout dead-letters list --code malformed_json --state new \\\n    --brokers localhost:9092 --json",
      ]),
    CommandSpec(
      "dead-letters show", summary: "Shows dead letters with headers, key and value as they are.",
      discussion: """
        Headers are shown in their order, repeated ones and null ones too; what is no text is in hexadecimal. An ID is \
        PARTITION-OFFSET, PARTITION-OFFSET..OFFSET for a stretch, or SOURCE_TOPIC-PARTITION-OFFSET.
        """,
      positionals: [PositionalSpec("ID", repeats: true)],
      flags: [FlagSpec("whole", help: "the whole value, however long"), json],
      examples: [
        "checkout dead-letters show 3-17 --brokers localhost:9092",
        "checkout dead-letters show checkout.requests-0-5 --brokers localhost:9092",
      ]),
    CommandSpec(
      "dead-letters redrive", summary: "Sends dead letters again to the topic they came from.",
      discussion: """
        A dry run unless --apply is given. Key, value and headers go out as they were; only our dlq-* headers are \
        replaced. What was cut or masked is read at its source, or left. A letter is sent again once: which ones were is \
        kept in the offsets of the group dead-letters, in the same transaction. Ends with exit code 1 if a letter \
        named by its id is left.
        """,
      positionals: [PositionalSpec("ID", isRequired: false, repeats: true)],
      flags: choice + [
        FlagSpec("all", help: "every dead letter"), FlagSpec("apply", help: "do it"),
        FlagSpec("rate", value: "N", help: "at most so many a second (default: as fast as it goes)"),
        FlagSpec("force", help: "also those that have failed three times"),
        FlagSpec("again", help: "also those that were sent again before"), json,
      ],
      examples: [
        "checkout dead-letters redrive 3-17 --brokers localhost:9092",
        "checkout dead-letters redrive 3-17..42 --apply --brokers localhost:9092",
        "checkout dead-letters redrive --code unknown_attempt --rate 50 --apply \\\n    --brokers localhost:9092",
      ]),
  ]
}
