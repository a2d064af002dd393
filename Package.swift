// swift-tools-version:6.2
import CompilerPluginSupport
import PackageDescription

/// Every target gets the same strictness; nobody opts out.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// For the screens and what they are built on. Xcode refuses part of what is a warning here.
let spotless: [SwiftSetting] = strict + [.treatAllWarnings(as: .error)]

/// Whether a package manager fetched this copy for an app: it reads the manifest from the repository ("/") to resolve,
/// and from a folder in `checkouts` to build. Such a copy is without the server (Docs/decisions/0013-package-traits.md).
let folders = Context.packageDirectory.split(separator: "/")
let isFetched = folders.isEmpty || folders.dropLast().last == "checkouts"

/// A product that only the server and the tests use. Without the trait, SwiftPM does not fetch its package.
func server(_ name: String, package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Server"]))
}

/// `make dist` and `make install` give both; without them `gatehouse version` says "development".
let stamp: [CSetting] = ["GATEHOUSE_BUILD_COMMIT", "GATEHOUSE_BUILD_DATE"].compactMap { name in
    Context.environment[name].map { .define(name, to: $0) }
}

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let hummingbird = server("Hummingbird", package: "hummingbird")
let hummingbirdCore = server("HummingbirdCore", package: "hummingbird")
let httpTypes = server("HTTPTypes", package: "swift-http-types")
let logging = server("Logging", package: "swift-log")
let mustache = server("Mustache", package: "swift-mustache")
let nioCore = server("NIOCore", package: "swift-nio")
let nioHTTP1 = server("NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = server("NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = server("NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = server("NIOPosix", package: "swift-nio")
let serviceLifecycle = server("ServiceLifecycle", package: "swift-service-lifecycle")

// The manifest is read on the machine that builds: on a Mac none of these targets is there, and none can stand in the
// SDK's way.
#if os(Linux)
/// What the screens are built on, where Apple's SDK is not.
let screenKit: [Target.Dependency] = ["SwiftUI", "AuthenticationServices"]
/// What `gatehouse dev` draws the app in a browser with.
let liveScreens: [Target.Dependency] = ["LiveScreens"]
/// Apple's privacy manifests. A resource here would only add a `Bundle.module` to targets without one.
let privacyResources: [Resource] = []
let privacyExcluded = ["PrivacyInfo.xcprivacy"]
/// For libraries that are loaded at first use (Docs/decisions/0021-footprint.md).
let lateLibrary: [Target.Dependency] = ["CLateLibrary"]
let postgres: [Target] = [
    .target(name: "CLateLibrary"),
    .target(name: "CPostgres", dependencies: lateLibrary),
]
let headless: [Target] = [
    /// Expands `#Preview` to nothing.
    .macro(name: "PreviewPlugin", path: "Sources/HeadlessSwiftUI/PreviewPlugin", swiftSettings: strict),
    /// The part of SwiftUI that the screens use, run without glass.
    .target(
        name: "SwiftUI", dependencies: ["PreviewPlugin"], path: "Sources/HeadlessSwiftUI/SwiftUI",
        swiftSettings: spotless),
    .target(
        name: "AuthenticationServices", dependencies: ["SwiftUI"],
        path: "Sources/HeadlessSwiftUI/AuthenticationServices", swiftSettings: spotless),
    /// Uses screens as a person does: finds, taps, types, looks; draws pages for pictures.
    .target(
        name: "ScreenDriver", dependencies: ["SwiftUI", "AuthenticationServices"],
        path: "Sources/HeadlessSwiftUI/ScreenDriver", swiftSettings: spotless),
    .testTarget(
        name: "HeadlessSwiftUITests", dependencies: ["SwiftUI", "AuthenticationServices", "ScreenDriver"],
        exclude: ["Refused"], resources: [.process("Texts")], swiftSettings: strict),
    /// Taps through the screens, over an account service in memory.
    .testTarget(
        name: "GatehouseUITests",
        dependencies: ["GatehouseUI", "GatehouseTesting", "GatehouseModel", "Gatehouse", "ScreenDriver"] + screenKit,
        swiftSettings: strict),
    // Xcode compiles the apps outside of this package, so they see no `package` declaration here either.
    /// What both reference apps need of a server: its address, and the client.
    .target(
        name: "AppSupport", dependencies: ["GatehouseUI", "GatehouseModel", "Gatehouse"] + screenKit,
        path: "Apps/Shared", packageAccess: false, swiftSettings: spotless),
    .target(
        name: "BoxScoreScreens", dependencies: ["GatehouseUI", "GatehouseModel", "Gatehouse"] + screenKit,
        path: "Apps/BoxScore/Screens", resources: [.process("Localizable.xcstrings")], packageAccess: false,
        swiftSettings: spotless),
    .executableTarget(
        name: "BoxScore",
        dependencies: [
            "AppSupport", "BoxScoreScreens", "GatehouseUI", "GatehouseModel", "GatehouseTesting", "Gatehouse",
        ] + screenKit,
        path: "Apps/BoxScore",
        exclude: ["BoxScore.xcodeproj", "Configuration", "Resources", "Screens", "UITests", "teams.json"],
        packageAccess: false, swiftSettings: spotless),
    .target(
        name: "DailyRitualScreens", dependencies: ["GatehouseUI", "GatehouseModel", "Gatehouse"] + screenKit,
        path: "Apps/DailyRitual/Screens", resources: [.process("Localizable.xcstrings")], packageAccess: false,
        swiftSettings: spotless),
    .executableTarget(
        name: "DailyRitual",
        dependencies: [
            "AppSupport", "DailyRitualScreens", "GatehouseUI", "GatehouseModel", "GatehouseTesting", "Gatehouse",
        ] + screenKit,
        path: "Apps/DailyRitual", exclude: ["DailyRitual.xcodeproj", "Configuration", "Resources", "Screens"],
        packageAccess: false, swiftSettings: spotless),
    /// The app in a browser, for `gatehouse dev`: what the screens draw goes out, taps and typing come back.
    .target(
        name: "LiveScreens",
        dependencies: [
            "ScreenDriver", "BoxScoreScreens", "DailyRitualScreens", "AppSupport", "GatehouseUI", "Gatehouse",
            "GatehouseWire", "DevStack", "SoftAuthenticator", "HTTPServing", hummingbird, httpTypes, nioCore,
            serviceLifecycle,
        ] + screenKit,
        resources: [
            .copy("Fonts"),
            .embedInCode("Page/app.html"), .embedInCode("Page/app.css"), .embedInCode("Page/app.js"),
            // A link to the file of BoxScore.
            .embedInCode("Page/teams.json"),
        ], swiftSettings: spotless),
    .testTarget(
        name: "LiveScreensTests",
        dependencies: [
            "LiveScreens", "ScreenDriver", "Gatehouse", "GatehouseWire", "HTTPServing", "TestSupport", hummingbird,
            httpTypes, logging, nioCore,
        ], swiftSettings: strict),
    /// The examples of the documentation, written by Scripts/make-examples.
    .testTarget(
        name: "DocumentationTests",
        dependencies: ["GatehouseUI", "GatehouseTesting", "GatehouseModel", "Gatehouse"] + screenKit,
        packageAccess: false, swiftSettings: strict),
    /// Taps through both apps, over an account service in memory.
    .testTarget(
        name: "AppsTests",
        dependencies: [
            "AppSupport", "BoxScoreScreens", "DailyRitualScreens", "GatehouseUI", "GatehouseTesting",
            "GatehouseModel", "Gatehouse", "ScreenDriver",
        ] + screenKit,
        exclude: ["Snapshots"], swiftSettings: strict),
    /// Taps through the apps before the server itself, with stand-ins for Apple and Google: what the designs accept.
    .testTarget(
        name: "AcceptanceTests",
        dependencies: [
            "AppSupport", "BoxScoreScreens", "DailyRitualScreens", "GatehouseUI", "GatehouseModel", "Gatehouse",
            "GatehouseWire", "ScreenDriver", "TestSupport", "AuthServer", "AccountDomain", "SQLDatabase",
            "ProfileGateway", "SoftAuthenticator", "WebAuthn", httpTypes,
        ] + screenKit,
        swiftSettings: strict),
]
#else
let screenKit: [Target.Dependency] = []
let liveScreens: [Target.Dependency] = []
let privacyResources: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
let privacyExcluded: [String] = []
let lateLibrary: [Target.Dependency] = []
let postgres: [Target] = [
    .systemLibrary(
        name: "CPostgres", path: "Sources/CPostgres/include", pkgConfig: "libpq", providers: [.brew(["libpq"])])
]
let headless: [Target] = []
#endif

let package = Package(
    name: "gatehouse",
    defaultLocalization: "en",
    platforms: [.macOS(.v15), .iOS(.v17)],
    products: [
        .executable(name: "gatehouse", targets: ["GatehouseCLI"]),
        .library(name: "Gatehouse", targets: ["Gatehouse"]),
        .library(name: "GatehouseModel", targets: ["GatehouseModel"]),
        .library(name: "GatehouseTesting", targets: ["GatehouseTesting"]),
        .library(name: "GatehouseUI", targets: ["GatehouseUI"]),
    ],
    traits: [
        .trait(name: "Server", description: "The program `gatehouse`, and the packages that only it needs."),
        .default(enabledTraits: isFetched ? [] : ["Server"]),
    ],
    dependencies: [
        // Traits off: the configuration that Hummingbird could read itself is read once, by `gatehouse`.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"]), .brew(["argon2"])]),
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .systemLibrary(
            name: "CCrypt", pkgConfig: "libxcrypt", providers: [.apt(["libcrypt-dev"]), .brew(["libxcrypt"])]),
        .systemLibrary(
            name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        // The SDK of a Mac has libcurl.
        .target(
            name: "CCurl", dependencies: lateLibrary,
            linkerSettings: [.linkedLibrary("curl", .when(platforms: [.macOS]))]),
        /// How the kernel schedules a thread.
        .target(name: "CScheduling"),
        /// What the C library and the loader keep.
        .target(name: "CMemory"),
        /// Large files in the program's text.
        .target(name: "CDocuments"),
        /// What the program was built from.
        .target(name: "CBuildStamp", cSettings: stamp),

        /// What crosses the network, and the values it is made of. Server and client meet here alone.
        .target(name: "GatehouseWire", swiftSettings: strict),
        /// The client: sessions that nobody loses. What an app imports.
        .target(
            name: "Gatehouse", dependencies: ["GatehouseWire", crypto], exclude: privacyExcluded,
            resources: privacyResources, swiftSettings: strict),
        /// What screens show: the account's state, forms, messages, telemetry. Knows no view.
        .target(
            name: "GatehouseModel", dependencies: ["Gatehouse", "GatehouseWire", crypto], exclude: privacyExcluded,
            resources: privacyResources, swiftSettings: strict),
        /// For the tests and previews of apps: an account service in memory, faults with names, a clock that stands still.
        .target(
            name: "GatehouseTesting", dependencies: ["GatehouseModel", "Gatehouse", "GatehouseWire"],
            swiftSettings: strict),
        /// The screens: plain SwiftUI. Talks to the account through the model alone.
        .target(
            name: "GatehouseUI", dependencies: ["GatehouseModel", "Gatehouse"] + screenKit, exclude: privacyExcluded,
            resources: [.process("Resources")] + privacyResources, swiftSettings: spotless),
        /// What a database can do; SQL with bound values; the migrator's list.
        .target(name: "SQLDatabase", swiftSettings: strict),
        /// Decides. No async, no I/O, no clock: every input is an argument.
        .target(name: "AccountDomain", dependencies: ["GatehouseWire", crypto], swiftSettings: strict),
        /// Signs and verifies JWTs; an unknown `kid` is refused; time is an argument.
        .target(name: "JSONWebTokens", dependencies: ["GatehouseWire", crypto, cryptoExtras], swiftSettings: strict),
        /// Apple, Google, any OpenID provider: from what they say to an identity that is proven. Knows no account.
        .target(
            name: "IdentityProviders", dependencies: ["GatehouseWire", "JSONWebTokens", crypto], swiftSettings: strict),
        /// WebAuthn: from what a browser or an app answers to a credential that is proven. Knows no account, no HTTP.
        .target(
            name: "WebAuthn", dependencies: ["GatehouseWire", crypto, cryptoExtras], swiftSettings: strict),
        /// Browser and authenticator in memory: what tests and `gatehouse dev` register and sign in with.
        .target(
            name: "SoftAuthenticator", dependencies: ["GatehouseWire", "WebAuthn", crypto, cryptoExtras],
            swiftSettings: strict),
        /// Slow hashes on threads of their own.
        .target(
            name: "PasswordHashing",
            dependencies: [
                "GatehouseWire", "CArgon2", "CCrypt", "CScheduling", crypto, cryptoExtras, nioCore, nioPosix,
            ],
            swiftSettings: strict),
        .target(name: "SQLiteDriver", dependencies: ["SQLDatabase", "CSQLite"], swiftSettings: strict),
        .target(name: "PostgresDriver", dependencies: ["SQLDatabase", "CPostgres"], swiftSettings: strict),
        /// Remembers. The only SQL about accounts; one file per atomic operation.
        .target(
            name: "AccountStore", dependencies: ["GatehouseWire", "AccountDomain", "SQLDatabase", crypto],
            swiftSettings: strict),
        /// What both APIs share: context, limits, log, metrics, JSON answers. Knows no route.
        .target(
            name: "HTTPServing",
            dependencies: [
                "GatehouseWire", hummingbird, hummingbirdCore, httpTypes, logging, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1,
            ],
            swiftSettings: strict),
        /// libcurl's handles, for threads that own them.
        .target(name: "CurlTransfers", dependencies: ["CCurl"], swiftSettings: strict),
        /// Writes mails and hands them to a server. Knows no account.
        .target(
            name: "SMTP", dependencies: ["GatehouseWire", "CurlTransfers", "CCurl"], swiftSettings: strict),
        /// The Supabase Auth protocol.
        .target(
            name: "AuthServer",
            dependencies: [
                "GatehouseWire", "AccountDomain", "AccountStore", "JSONWebTokens", "PasswordHashing", "HTTPServing",
                "IdentityProviders", "MailTemplates", "CQREncode", "WebAuthn", crypto, hummingbird, httpTypes, logging,
                nioCore,
            ],
            swiftSettings: strict),
        /// Writes mails: built-in ones in five languages, or an operator's. Knows no account and sends nothing.
        .target(
            name: "MailTemplates", dependencies: ["GatehouseWire", mustache],
            resources: [.embedInCode("Layout/mail.html"), .embedInCode("Layout/mail.txt")], swiftSettings: strict),
        /// The account pages and the console. A client of the APIs: it reaches no database.
        .target(
            name: "WebPages",
            dependencies: [
                "GatehouseWire", "HTTPServing", "MailTemplates", "CDocuments", crypto, hummingbird, httpTypes, mustache,
                nioCore,
            ],
            // CDocuments contains the large ones.
            exclude: ["Texts/pages.json", "Texts/texts.json", "Assets/pages.css", "Assets/console.css"],
            resources: [
                .embedInCode("Layout/page.html"), .embedInCode("Layout/form.html"),
                .embedInCode("Layout/console.html"), .embedInCode("Layout/part.html"),
                .embedInCode("Layout/table.html"),
                .embedInCode("Assets/pages.css.gz"), .embedInCode("Assets/console.css.gz"),
                .embedInCode("Assets/live.js"), .embedInCode("Assets/account.js"), .embedInCode("Assets/passkey.svg"),
                .embedInCode("Assets/apple.svg"), .embedInCode("Assets/google.svg"), .embedInCode("Assets/mail.svg"),
            ], swiftSettings: strict),
        /// Serves profiles to holders of a token. Cannot reach accounts.
        .target(
            name: "ProfileGateway",
            dependencies: [
                "GatehouseWire", "JSONWebTokens", "SQLDatabase", "HTTPServing", hummingbird, httpTypes, logging,
                nioCore,
            ],
            swiftSettings: strict),
        /// What `gatehouse dev` has beside the server: stand-ins and an inbox. `gatehouse serve` never routes it.
        .target(
            name: "DevStack",
            dependencies: [
                "GatehouseWire", "JSONWebTokens", "HTTPServing", crypto, hummingbird, httpTypes, nioCore,
                serviceLifecycle,
            ],
            swiftSettings: strict),
        /// The server, built from its settings and what it needs of the machine. Knows every concrete type.
        .target(
            name: "GatehouseServer",
            dependencies: [
                "GatehouseWire", "AccountDomain", "AccountStore", "JSONWebTokens", "PasswordHashing", "HTTPServing",
                "AuthServer", "ProfileGateway", "SQLDatabase", "SQLiteDriver", "PostgresDriver", "IdentityProviders",
                "MailTemplates", "SMTP", "WebAuthn", "WebPages", "CurlTransfers", "CCurl", "CDocuments", "CMemory",
                "CYAML",
                hummingbird, httpTypes, logging, nioCore, serviceLifecycle,
            ],
            // CDocuments contains it.
            exclude: ["OpenAPI/openapi.json"], swiftSettings: strict),
        /// The program: its commands, the terminal client, and the machine's clock and random generator.
        .executableTarget(
            name: "GatehouseCLI",
            dependencies: [
                "GatehouseServer", "GatehouseWire", "AccountDomain", "AccountStore", "JSONWebTokens",
                "PasswordHashing", "HTTPServing", "AuthServer", "ProfileGateway", "SQLDatabase", "SQLiteDriver",
                "PostgresDriver", "Gatehouse", "GatehouseModel", "IdentityProviders", "DevStack", "SMTP", "WebAuthn",
                "CBuildStamp", crypto,
                logging, nioCore,
                server("ArgumentParser", package: "swift-argument-parser"),
                serviceLifecycle,
                server("UnixSignals", package: "swift-service-lifecycle"),
            ] + liveScreens,
            swiftSettings: strict),

        /// Databases and a clock that stands still, for tests of what knows no server.
        .target(
            name: "TestDatabases",
            dependencies: [
                "GatehouseWire", "AccountStore", "ProfileGateway", "SQLDatabase", "SQLiteDriver", "PostgresDriver",
                "CSQLite",
            ],
            path: "Tests/TestDatabases",
            swiftSettings: strict),
        /// A server in process, and the others that it calls.
        .target(
            name: "TestSupport",
            dependencies: [
                "TestDatabases", "GatehouseWire", "AccountDomain", "AccountStore", "JSONWebTokens", "PasswordHashing",
                "HTTPServing", "AuthServer", "GatehouseServer", "ProfileGateway", "SQLDatabase", "IdentityProviders",
                "DevStack", hummingbird, httpTypes, logging, nioCore,
            ],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(name: "GatehouseWireTests", dependencies: ["GatehouseWire"], swiftSettings: strict),
        .testTarget(
            name: "AccountDomainTests", dependencies: ["AccountDomain", "GatehouseWire"], swiftSettings: strict),
        .testTarget(
            name: "JSONWebTokensTests",
            dependencies: ["JSONWebTokens", "GatehouseWire", crypto, cryptoExtras], swiftSettings: strict),
        .testTarget(
            name: "WebAuthnTests", dependencies: ["WebAuthn", "SoftAuthenticator", "GatehouseWire", crypto],
            exclude: ["Vectors.json"], swiftSettings: strict),
        .testTarget(
            name: "PasswordHashingTests", dependencies: ["PasswordHashing", "GatehouseWire"],
            swiftSettings: strict),
        /// What both databases do alike.
        .testTarget(
            name: "SQLDatabaseTests", dependencies: ["SQLDatabase", "TestDatabases"], swiftSettings: strict),
        .testTarget(
            name: "SQLiteDriverTests", dependencies: ["SQLiteDriver", "SQLDatabase", "TestDatabases", "CSQLite"],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresDriverTests", dependencies: ["PostgresDriver", "SQLDatabase", "TestDatabases"],
            swiftSettings: strict),
        .testTarget(
            name: "AccountStoreTests",
            dependencies: [
                "AccountStore", "AccountDomain", "GatehouseWire", "SQLDatabase", "PostgresDriver", "ProfileGateway",
                "TestDatabases",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPServingTests",
            dependencies: [
                "HTTPServing", "GatehouseWire", hummingbird, httpTypes, logging, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1, server("NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AuthServerTests",
            dependencies: [
                "AuthServer", "AccountStore", "AccountDomain", "GatehouseWire", "JSONWebTokens", "HTTPServing",
                "IdentityProviders", "DevStack", "PasswordHashing", "TestSupport", "SQLDatabase", "SoftAuthenticator",
                "WebAuthn", hummingbird, httpTypes, logging, nioCore,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ProfileGatewayTests",
            dependencies: [
                "ProfileGateway", "GatehouseWire", "JSONWebTokens", "HTTPServing", "SQLDatabase",
                hummingbird, httpTypes, nioCore,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GatehouseTests",
            dependencies: [
                "Gatehouse", "GatehouseWire", "TestSupport", "AccountStore", "AuthServer", "JSONWebTokens", httpTypes,
            ],
            exclude: ["StoredSessions"], swiftSettings: strict),
        .testTarget(
            name: "GatehouseModelTests",
            dependencies: ["GatehouseModel", "Gatehouse", "GatehouseWire", "TestSupport", httpTypes],
            swiftSettings: strict),
        .testTarget(
            name: "GatehouseTestingTests",
            dependencies: [
                "GatehouseTesting", "GatehouseModel", "Gatehouse", "GatehouseWire", "TestSupport", "AuthServer",
                "AccountDomain", httpTypes,
            ],
            swiftSettings: strict),
        /// The code of the pages for app developers (Scripts/test_example_page.py). Tests/Example/Package.swift makes it a
        /// package of its own.
        .target(
            name: "Example", dependencies: ["GatehouseUI"] + screenKit, path: "Tests/Example/Sources/Example",
            packageAccess: false),
        .testTarget(
            name: "ExampleTests", dependencies: ["Example", "GatehouseTesting", "GatehouseUI"],
            path: "Tests/Example/Tests/ExampleTests", packageAccess: false),
        .testTarget(
            name: "IdentityProvidersTests",
            dependencies: ["IdentityProviders", "JSONWebTokens", "GatehouseWire", crypto],
            swiftSettings: strict),
        .testTarget(
            name: "WebPagesTests",
            dependencies: [
                "WebPages", "GatehouseWire", "GatehouseServer", "TestSupport", "AuthServer", "AccountDomain",
                "SoftAuthenticator", "WebAuthn", httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(name: "SMTPTests", dependencies: ["SMTP", "GatehouseWire"], swiftSettings: strict),
        .testTarget(
            name: "MailTemplatesTests", dependencies: ["MailTemplates", "GatehouseWire"], swiftSettings: strict),
        .testTarget(
            name: "DevStackTests",
            dependencies: [
                "DevStack", "IdentityProviders", "GatehouseWire", "JSONWebTokens", "HTTPServing", "TestDatabases",
                crypto, hummingbird, httpTypes, logging, nioCore,
            ],
            swiftSettings: strict),
        /// Drives the real client and the real refresh transaction through schedules that a seed decides.
        .executableTarget(
            name: "session-explorer",
            dependencies: [
                "Gatehouse", "GatehouseWire", "AccountDomain", "AccountStore", "SQLDatabase", "SQLiteDriver",
            ],
            path: "Tests/SessionExplorer",
            exclude: ["explore", "faults.json"],
            swiftSettings: strict),
        /// Verdicts about WebAuthn ceremonies, as lines: Tests/External compares them with other libraries.
        .executableTarget(
            name: "webauthn-verdicts", dependencies: ["WebAuthn", "GatehouseWire"], path: "Tests/WebAuthnVerdicts",
            swiftSettings: strict),
        .testTarget(
            name: "GatehouseCLITests",
            dependencies: [
                "GatehouseCLI", "GatehouseServer", "Gatehouse", "GatehouseModel", "GatehouseWire", "AccountDomain",
                "AuthServer", "IdentityProviders", "SQLDatabase", "TestSupport", "WebAuthn",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GatehouseServerTests",
            dependencies: [
                "GatehouseServer", "CMemory", "GatehouseWire", "AccountDomain", "AuthServer", "IdentityProviders",
                "PasswordHashing", "ProfileGateway", "SMTP", "TestSupport", "WebAuthn", httpTypes,
            ],
            swiftSettings: strict),
        /// What reads bytes from outside, as functions over bytes.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "GatehouseCLI", "AuthServer", "HTTPServing", "IdentityProviders", "AccountDomain", "AccountStore",
                "JSONWebTokens", "MailTemplates", "SMTP", "WebAuthn", "GatehouseWire", httpTypes,
            ],
            path: "Tests/Fuzz/Targets", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"], swiftSettings: strict),
        /// Both APIs together, over real databases.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "GatehouseServer", "GatehouseWire", "ProfileGateway", "TestSupport", "AccountDomain", "AccountStore",
                "AuthServer", "SQLDatabase", httpTypes,
            ],
            swiftSettings: strict),
    ] + postgres + headless,
    swiftLanguageModes: [.v6]
)

// `make test-one` names a test target here, so that the others are not compiled.
if let name = Context.environment["GATEHOUSE_TEST_TARGET"] {
    package.targets.removeAll { $0.type == .test && $0.name != name }
}

// `make fuzz`: libFuzzer brings a main of its own, so the program's files become a library without one.
if Context.environment["GATEHOUSE_FUZZ"] != nil,
    let program = package.targets.first(where: { $0.name == "GatehouseCLI" })
{
    let needed = program.dependencies.filter { if case .byNameItem("LiveScreens", _) = $0 { false } else { true } }
    package.targets.removeAll { $0.type == .test || $0.name == "GatehouseCLI" }
    package.products.removeAll { $0.name == "gatehouse" }
    package.targets += [
        .target(
            name: "GatehouseCLI", dependencies: needed, path: "Sources/GatehouseCLI", exclude: ["Program.swift"],
            swiftSettings: strict),
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Driver",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]),
    ]
}

// `make sanitize` names its sanitizer here. Only the tests that it watches are built.
if let name = Context.environment["GATEHOUSE_SANITIZER"] {
    let watched: [String: Set<String>] = [
        "address": [
            "PasswordHashingTests", "SQLDatabaseTests", "SQLiteDriverTests", "PostgresDriverTests", "SMTPTests",
        ],
        "thread": [
            "GatehouseWireTests", "AccountDomainTests", "JSONWebTokensTests", "PasswordHashingTests",
            "SQLDatabaseTests",
            "SQLiteDriverTests", "PostgresDriverTests", "AccountStoreTests", "HTTPServingTests", "AuthServerTests",
            "ProfileGatewayTests", "GatehouseTests", "GatehouseModelTests", "GatehouseTestingTests",
            "IdentityProvidersTests", "SMTPTests", "DevStackTests", "EndToEndTests",
        ],
    ]
    package.targets.removeAll { $0.type == .test && watched[name]?.contains($0.name) != true }
    if name == "thread" {
        // The sanitizer cannot see the lock in Synchronization.Mutex on Linux. The program's own target keeps it: one
        // of its dependencies has it in its interface.
        for target in package.targets where target.type != .system && target.type != .macro {
            guard target.name != "GatehouseCLI" else { continue }
            target.dependencies.append("PosixSynchronization")
            target.swiftSettings?.append(.unsafeFlags(["-module-alias", "Synchronization=PosixSynchronization"]))
        }
        package.targets.append(.target(name: "PosixSynchronization", path: "Tests/PosixSynchronization"))
    }
}
