// The table of commands: what `checkout help` shows and the parser accepts.

import Operations

/// All commands and their flags.
enum Commands {
  static let json = FlagSpec("json", help: "print JSON for machines")

  static let table = CommandTable(
    program: "checkout",
    summary: "Kafka workers that turn checkout requests into paid, receipted orders, never charging twice.",
    commands: [demo, run, submit] + parked + deadLetters + [
      verify, simulate, broker, topicsCreate, topicsCheck, migrate, journalPurge, config,
    ],
    commonFlags: [
      FlagSpec("brokers", value: "HOST:PORT,…", help: "Kafka brokers to connect to first"),
      FlagSpec("topic-prefix", value: "TEXT", help: "begins every topic's name (default checkout.)"),
      FlagSpec("group-prefix", value: "TEXT", help: "begins every consumer group's name (default checkout-)"),
      FlagSpec("config", value: "FILE", help: "settings in TOML"),
      FlagSpec("set", value: "section.key=VALUE", repeats: true, help: "one setting; see: checkout config"),
      FlagSpec("kafka-property", value: "NAME=VALUE", repeats: true, help: "passed through to librdkafka"),
      FlagSpec("log", value: "json|pretty", help: "form of log lines (default: pretty on a terminal)"),
    ])

  static let journal = FlagSpec("journal", value: "sqlite:PATH|postgres://…", help: "where attempts are remembered")

  private static let workFlags = [
    journal,
    FlagSpec("gateways", value: "sandbox[:LEDGER]", help: "the services; LEDGER is a file kept over restarts"),
    FlagSpec("reference", value: "FILE|topics", help: "accounts and prices: a JSON file or compacted topics"),
    FlagSpec(
      "delivery", value: "exactly-once|at-least-once",
      help: "how outputs and offsets are committed (default exactly-once)"
    ),
  ]

  private static let demo = CommandSpec(
    "demo", summary: "Runs the whole pipeline inside one process on the samples and checks every outcome.",
    discussion: """
      Broker (librdkafka's mock cluster), journal (SQLite, fresh unless --journal is given), services (sandbox) \
      and all three stages run in this process. The clock starts at 2026-11-30T12:00:00Z, the samples' date. \
      Ends with exit code 0 if every sample ended as it must, else 1.
      """,
    flags: [
      FlagSpec("samples", value: "DIR", help: "the samples' folder (default: samples, here or beside the program)"),
      FlagSpec("journal", value: "sqlite:PATH|postgres://…", help: "keep the journal there"), json,
    ],
    examples: ["checkout demo", "checkout demo --json", "checkout demo --set validation.mode=collect_all"])

  private static let run = CommandSpec(
    "run", summary: "Runs workers until SIGTERM or SIGINT.",
    discussion: """
      The first signal drains: intake stops, started work ends, everything finished is committed; what cannot end \
      within worker.shutdown_grace stays resumable. A second signal ends the process at once.

      Two processes of one stage need different names: each host has its own, on one host set connection.instance. \
      The name must stay the same over restarts; two live processes under one name fence each other (exit code 4).
      """,
    flags: [
      FlagSpec("stage", value: "validation|facade|reconciliation|all", help: "which stages (default all)"),
      FlagSpec("adopt-journal", help: "go on although the topics were worked on with another journal"),
    ] + workFlags,
    examples: [
      "checkout run --brokers localhost:9092 --reference samples/reference.json",
      "checkout run --stage validation --brokers localhost:9092 \\\n"
        + "    --reference samples/reference.json --set validation.mode=collect_all",
      "checkout run --stage facade,reconciliation --brokers localhost:9092 \\\n"
        + "    --journal sqlite:checkout.db --gateways sandbox:ledger.db",
      "checkout run --stage facade --brokers localhost:9092 \\\n"
        + "    --journal postgres://checkout@db.example/checkout",
    ])

  private static let submit = CommandSpec(
    "submit", summary: "Publishes requests from an NDJSON file, and waits for their outcomes if asked.",
    discussion: """
      Each line is one message; its key is the checkout_id inside. Lines that are no valid request are sent too: \
      what becomes of them is the pipeline's answer. With --wait, exit code 1 means that some got no answer in time.
      """,
    positionals: [PositionalSpec("FILE|-")],
    flags: [
      FlagSpec("wait", help: "print each outcome, end when all are answered"),
      FlagSpec("timeout", value: "DURATION", help: "how long --wait waits (default 60s)"), json,
    ],
    examples: [
      "checkout submit samples/requests.ndjson --brokers localhost:9092 --wait",
      "head -1 samples/requests.ndjson | \\\n    checkout submit - --brokers localhost:9092 --wait --json",
    ])

  private static let simulate = CommandSpec(
    "simulate", summary: "Runs the real stages in a seeded world full of faults and checks every promise.",
    discussion: """
      Stages, engine and transactions are the ones that `run` runs; brokers, journal, services and time are \
      simulated. Everything random follows from the seed: crashes between any two steps, lost replies, rebalances, \
      workers that stand still, clocks that are wrong. A seed that breaks a promise ends in exit code 1 and is made \
      smaller: what is printed is the smallest run found that breaks the same promise. docs/simulation.md says what \
      is checked and what the simulation does not cover.

      FILE replaces the drawn rates of single faults, per mille: {"commit_reply_lost": 50, "journal_reply_lost": 10}.
      """,
    flags: [
      FlagSpec("seeds", value: "A..B", help: "seeds to run (default 1..1000)"),
      FlagSpec("seed", value: "S", help: "one seed"),
      FlagSpec("trace", help: "with --seed: print the whole timeline"),
      FlagSpec("faults", value: "FILE", help: "rates of faults, JSON"), json,
    ],
    examples: [
      "checkout simulate", "checkout simulate --seeds 1..100000 --json", "checkout simulate --seed 4711 --trace",
      "checkout simulate --seeds 1..1000 --faults rates.json",
    ])

  private static let broker = CommandSpec(
    "broker", summary: "Runs librdkafka's mock cluster as a Kafka broker for local work.",
    discussion: """
      Prints its address (a random port of the loopback interface) on the first line, then runs until SIGTERM or \
      SIGINT. The pipeline's topics are there from the start. It keeps nothing over a restart, about 5 MB a \
      partition, and has no transactions: workers on it deliver at least once.
      """,
    flags: [FlagSpec("partitions", value: "N", help: "partitions of each topic (default 12)")],
    examples: ["checkout broker", "checkout broker --partitions 3"])

  private static let topicsCreate = CommandSpec(
    "topics create", summary: "Creates the pipeline's topics where they are missing.",
    discussion: """
      Existing topics are left as they are. Needs a broker with administrative calls, not the mock. With --reference \
      topics the two compacted topics of accounts and prices are made too, with one partition each.
      """,
    flags: [
      FlagSpec("partitions", value: "N", help: "partitions of each topic (default 12)"),
      FlagSpec("replication", value: "N", help: "copies of each partition (default 1)"),
      FlagSpec("reference", value: "topics", help: "the topics of accounts and prices too"), json,
    ],
    examples: ["checkout topics create --brokers localhost:9092 \\\n    --partitions 12 --replication 3"])

  private static let topicsCheck = CommandSpec(
    "topics check", summary: "Says which of the pipeline's topics are there, and with how many partitions.",
    discussion: "Ends with exit code 1 if one is missing.",
    flags: [FlagSpec("reference", value: "topics", help: "the topics of accounts and prices too"), json],
    examples: ["checkout topics check --brokers localhost:9092"])

  private static let migrate = CommandSpec(
    "migrate", summary: "Makes the journal's tables, or brings them up to date.",
    discussion: """
      Workers refuse a PostgreSQL journal of another version and name this command. Two runs at once take turns. With \
      --check nothing is changed; exit code 1 means that there is something to do.
      """,
    flags: [
      FlagSpec("journal", value: "sqlite:PATH|postgres://…", help: "which journal"),
      FlagSpec("check", help: "only say how it stands"), json,
    ],
    examples: [
      "checkout migrate --journal postgres://checkout@db.example/checkout",
      "checkout migrate --check --journal sqlite:checkout.db",
    ])

  private static let journalPurge = CommandSpec(
    "journal purge", summary: "Forgets bodies and histories of attempts that ended long ago.",
    discussion: """
      Says what it would do; --apply does it, in small transactions beside running workers. What ever held money keeps a \
      narrow row, so that a repeat is answered as before; what is open, owed, pending, parked or watched is never touched.
      """,
    flags: [
      FlagSpec("journal", value: "sqlite:PATH|postgres://…", help: "which journal"),
      FlagSpec("older-than", value: "DURATION", help: "since the attempt's last write (default 90d)"),
      FlagSpec("topic-retention", value: "DURATION", help: "how long your topics keep messages (default 7d)"),
      FlagSpec("apply", help: "do it"), json,
    ],
    examples: ["checkout journal purge --older-than 90d", "checkout journal purge --older-than 90d --apply --json"])

  private static let verify = CommandSpec(
    "verify", summary: "Reads topics, journal and the services' ledger, and checks every promise.",
    discussion: """
      Judges by what was written down alone: records of all topics (read committed), rows of the journal, entries of the \
      sandbox's ledger (--gateways sandbox:LEDGER; of other services no ledger can be read). Each check is clean, \
      violated, or cannot be told: gone from the topic, not ended yet, younger than --grace, no ledger. Exit code 0: all \
      clean; 1: something is violated; 3: nothing is violated, but not everything could be told.
      """,
    flags: [
      FlagSpec("journal", value: "sqlite:PATH|postgres://…", help: "where attempts are remembered"),
      FlagSpec("gateways", value: "sandbox:LEDGER", help: "the services' ledger"),
      FlagSpec("grace", value: "DURATION", help: "younger things may still be on their way (default 10s)"), json,
    ],
    examples: [
      "checkout verify --brokers localhost:9092 \\\n    --journal sqlite:checkout.db --gateways sandbox:ledger.db",
      "checkout verify --brokers localhost:9092 --grace 0s --json",
    ])

  private static let config = CommandSpec(
    "config", summary: "Prints every setting, its value and where it came from; secrets are masked.",
    discussion: "Flags win over environment (CHECKOUT_SECTION_KEY), environment over the file, the file over defaults.",
    flags: workFlags + [FlagSpec("explain", help: "what each setting means, its default and what it may be"), json],
    examples: [
      "checkout config", "checkout config --explain", "CHECKOUT_WORKER_IN_FLIGHT_MAX=200 checkout config --json",
    ])
}
