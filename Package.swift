// swift-tools-version: 6.2
// The arrows of the design: what each target may import. TidyTests compare the sources with this list.
import PackageDescription

let package = Package(
  name: "checkout-pipeline",
  products: [
    .executable(name: "checkout", targets: ["CheckoutCLI"]),
    .executable(name: "checkout-bench", targets: ["CheckoutBench"]),
    .executable(name: "simulation-runner", targets: ["SimulationRunner"]),
  ],
  targets: [
    .systemLibrary(name: "CRdKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinux"),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CheckoutCore"),
    .target(name: "CheckoutWire", dependencies: ["CheckoutCore", "CSimdjson", "CCrypto"]),
    .target(name: "WorkerEngine"),
    .target(name: "Operations", dependencies: ["CLinux"]),
    .target(name: "CheckoutStages", dependencies: ["CheckoutCore", "CheckoutWire", "WorkerEngine"]),
    .target(name: "CheckoutSandbox", dependencies: ["CheckoutCore", "Operations"]),
    .target(
      name: "KafkaAdapter",
      dependencies: ["CheckoutCore", "CheckoutWire", "WorkerEngine", "Operations", "CRdKafka"]),
    .target(name: "JournalQueue", dependencies: ["CheckoutCore", "Operations"]),
    .target(
      name: "SQLiteAdapter",
      dependencies: ["CheckoutCore", "CheckoutWire", "CheckoutSandbox", "JournalQueue", "Operations", "CSQLite"]),
    .target(
      name: "PostgresAdapter",
      dependencies: ["CheckoutCore", "CheckoutWire", "JournalQueue", "Operations", "CPostgres"]),
    .target(
      name: "CheckoutSimulation",
      dependencies: ["CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutStages", "CheckoutSandbox"]),
    .target(
      name: "CheckoutTools",
      dependencies: [
        "CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutStages", "CheckoutSandbox", "Operations",
      ]),
    .executableTarget(
      name: "CheckoutCLI",
      dependencies: [
        "CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutStages", "JournalQueue", "KafkaAdapter",
        "PostgresAdapter", "SQLiteAdapter", "CheckoutSandbox", "CheckoutSimulation", "CheckoutTools", "Operations",
      ]),
    .executableTarget(
      name: "SimulationRunner", dependencies: ["CheckoutSimulation", "Operations"], path: "Tests/SimulationRunner"),
    .target(name: "JournalSamples", dependencies: ["CheckoutCore", "Operations"], path: "Tests/JournalSamples"),
    .executableTarget(
      name: "JournalHammer",
      dependencies: [
        "CheckoutCore", "CheckoutSandbox", "JournalQueue", "JournalSamples", "Operations", "PostgresAdapter",
        "SQLiteAdapter",
      ],
      path: "Tests/JournalHammer"),
    .target(name: "PostgresServer", path: "Tests/PostgresServer", exclude: ["serve.sh"]),
    .testTarget(name: "JournalQueueTests", dependencies: ["CheckoutCore", "JournalQueue", "JournalSamples"]),
    .testTarget(
      name: "PostgresAdapterTests",
      dependencies: [
        "CheckoutCore", "JournalQueue", "PostgresAdapter", "Operations", "JournalSamples", "JournalHammer",
        "PostgresServer",
      ]),
    .testTarget(
      name: "SQLiteAdapterTests",
      dependencies: [
        "CheckoutCore", "CheckoutSandbox", "JournalQueue", "SQLiteAdapter", "Operations", "JournalSamples",
        "JournalHammer",
      ]),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "CheckoutCore", "CheckoutSimulation", "CheckoutSandbox", "JournalQueue", "PostgresAdapter", "SQLiteAdapter",
        "JournalSamples", "PostgresServer",
      ]),
    .testTarget(
      name: "CheckoutSimulationTests",
      dependencies: ["CheckoutCore", "CheckoutSimulation", "CheckoutWire", "JournalSamples", "WorkerEngine"]),
    .testTarget(
      name: "CheckoutToolsTests",
      dependencies: [
        "CheckoutCore", "CheckoutStages", "CheckoutTools", "CheckoutWire", "CheckoutSandbox", "CheckoutSimulation",
        "JournalSamples", "WorkerEngine",
      ]),
    .testTarget(
      name: "CheckoutSandboxTests",
      dependencies: ["CheckoutCore", "CheckoutSandbox", "Operations", "JournalSamples"]),
    .executableTarget(
      name: "CheckoutBench",
      dependencies: [
        "CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutStages", "JournalQueue", "KafkaAdapter",
        "PostgresAdapter", "SQLiteAdapter", "Operations", "JournalSamples", "NoidaFixture",
      ]),
    .testTarget(
      name: "CheckoutCLITests",
      dependencies: ["CheckoutCLI", "CheckoutStages", "KafkaAdapter", "Operations", "WorkerEngine"]),
    .testTarget(name: "CheckoutCoreTests", dependencies: ["CheckoutCore"]),
    .testTarget(
      name: "CheckoutStagesTests",
      dependencies: [
        "CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutStages", "CheckoutSandbox", "CheckoutSimulation",
        "CheckoutTools",
      ]),
    .testTarget(name: "CheckoutWireTests", dependencies: ["CheckoutWire", "CheckoutCore"]),
    .target(name: "NoidaFixture", dependencies: ["KafkaAdapter"], path: "Tests/NoidaFixture"),
    .executableTarget(
      name: "TransactionalPass", dependencies: ["KafkaAdapter", "Operations", "WorkerEngine"],
      path: "Tests/TransactionalPass"),
    .testTarget(
      name: "CheckoutCLIIntegrationTests",
      dependencies: [
        "CheckoutCLI", "CheckoutCore", "CheckoutTools", "KafkaAdapter", "WorkerEngine", "NoidaFixture",
      ]),
    .testTarget(
      name: "KafkaAdapterTests",
      dependencies: ["KafkaAdapter", "Operations", "WorkerEngine", "NoidaFixture", "TransactionalPass"]),
    .testTarget(name: "OperationsTests", dependencies: ["Operations"]),
    .testTarget(name: "TidyTests"),
    .testTarget(name: "WorkerEngineTests", dependencies: ["CheckoutCore", "WorkerEngine", "CheckoutSimulation"]),
  ],
  cxxLanguageStandard: .cxx17
)

// One loop of settings for every Swift target, so that no target is checked less strictly than another.
let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]
for target in package.targets where target.type != .system && target.name != "CSimdjson" {
  target.swiftSettings = swiftSettings
}
