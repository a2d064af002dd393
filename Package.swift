// swift-tools-version:6.2
import CompilerPluginSupport
import PackageDescription

// This package is the client: its libraries, which fetch swift-crypto and swift-asn1 alone. With GATEHOUSE_COMPLETE in
// the environment it is also the server, the program `gatehouse` and all tests. Every verb of `make` sets it, and so
// does .vscode/settings.json. To use swift directly: export GATEHOUSE_COMPLETE=1 (Docs/decisions/0013-one-variable.md).
let environment = Context.environment
let isComplete = environment["GATEHOUSE_COMPLETE"] != nil
/// `make fuzz`: libFuzzer provides `main`, so the program's files are built as a library without one.
let isFuzzed = environment["GATEHOUSE_FUZZ"] != nil
/// `make sanitize`: the thread sanitizer cannot see the lock in Synchronization.Mutex. The program itself needs it.
let isSynchronized = environment["GATEHOUSE_POSIX_SYNCHRONIZATION"] != nil
/// Verbs that need few test targets name them here, so that the others are not compiled.
let chosenTests = environment["GATEHOUSE_TEST_TARGETS"].map(words)
#if os(Linux)  // The machine that reads this builds. A Mac has SwiftUI in its SDK.
let isLinux = true
#else
let isLinux = false
#endif
/// Other packages, with the products that are used here.
let fetched: [(owner: String, name: String, version: Version, products: String)] = [
    ("apple", "swift-crypto", "4.5.2", "Crypto CryptoExtras"),
    ("apple", "swift-argument-parser", "1.8.2", "ArgumentParser"),
    ("apple", "swift-http-types", "1.8.0", "HTTPTypes"),
    ("apple", "swift-log", "1.16.2", "Logging"),
    ("apple", "swift-nio", "2.101.2", "NIOCore NIOEmbedded NIOHTTP1 NIOPosix"),
    ("apple", "swift-nio-extras", "1.35.2", "NIOHTTPTypes NIOHTTPTypesHTTP1"),
    ("hummingbird-project", "hummingbird", "2.28.1", "Hummingbird HummingbirdCore"),
    ("hummingbird-project", "swift-mustache", "2.1.1", "Mustache"),
    ("swift-server", "swift-service-lifecycle", "2.13.0", "ServiceLifecycle UnixSignals"),
]

// MARK: - The targets: below each folder a row for each of its targets, "name: everything that it can reach". What is
// missing in a row is a guarantee. Tests also reach what they test, and its row. Docs/architecture.md describes them.
let client = """
    Sources/Client
    GatehouseWire:
    Gatehouse: GatehouseWire Crypto
    GatehouseModel: Gatehouse GatehouseWire Crypto StringCatalogs
    GatehouseUI: GatehouseModel Gatehouse SwiftUI AuthenticationServices
    GatehouseTesting: GatehouseModel Gatehouse GatehouseWire Crypto
    GatehouseDesktop: Gatehouse
    Development/HeadlessSwiftUI
    \(isLinux ? "PreviewPlugin:\nStringCatalogs:\nSwiftUI: PreviewPlugin StringCatalogs\nAuthenticationServices: SwiftUI" : "")
    """
let serving = "GatehouseWire HTTPServing Hummingbird HTTPTypes NIOCore"
let accounts = "AccountDomain AccountStore PasswordHashing JSONWebTokens WebAuthn IdentityProviders"
let databases = "SQLDatabase SQLiteDriver PostgresDriver"
let composed = "\(serving) \(accounts) GatehouseServer AuthServer ProfileGateway"
let server = """
    Sources/Accounts
    AccountDomain: GatehouseWire CCommonPasswords Crypto
    AccountStore: GatehouseWire AccountDomain SQLDatabase Crypto
    PasswordHashing: GatehouseWire CArgon2 CCrypt CProcess Crypto CryptoExtras NIOCore NIOPosix
    Sources/Databases
    SQLDatabase:
    SQLiteDriver: SQLDatabase CSQLite
    PostgresDriver: SQLDatabase CPostgres
    Sources/Protocols
    JSONWebTokens WebAuthn: GatehouseWire Crypto CryptoExtras
    IdentityProviders: GatehouseWire JSONWebTokens Crypto
    SMTP: GatehouseWire CurlTransfers CCurl
    MailTemplates: GatehouseWire CEmbedded Mustache
    TextMessages: GatehouseWire IdentityProviders MailTemplates
    Sources/Server
    HTTPServing: \(serving) HummingbirdCore Logging NIOHTTP1 NIOHTTPTypes NIOHTTPTypesHTTP1
    AuthServer: \(serving) \(accounts) MailTemplates CQREncode Crypto Logging
    ProfileGateway: \(serving) JSONWebTokens SQLDatabase Logging
    WebPages: \(serving) MailTemplates CEmbedded Crypto Mustache
    GatehouseServer: \(serving) \(accounts) \(databases) AuthServer ProfileGateway WebPages MailTemplates SMTP \
    TextMessages CurlTransfers CCurl CEmbedded CProcess CYAML Logging ServiceLifecycle
    GatehouseCLI Sources/Program/GatehouseCLI: \(accounts) \(databases) GatehouseServer AuthServer ProfileGateway \
    HTTPServing SMTP GatehouseWire Gatehouse GatehouseDesktop GatehouseModel DevStack CEmbedded Crypto Logging \
    NIOCore ArgumentParser ServiceLifecycle UnixSignals \(isFuzzed ? "" : "LiveScreens")
    Sources/System
    CCurl: CLateLibrary
    CCommonPasswords CEmbedded CProcess:
    CurlTransfers: CCurl
    Development
    DevStack: \(serving) JSONWebTokens Crypto ServiceLifecycle
    SoftAuthenticator: GatehouseWire WebAuthn Crypto CryptoExtras
    Seeding: GatehouseWire AccountDomain AccountStore SQLDatabase
    gatehouse-seed: GatehouseWire GatehouseServer AccountStore PasswordHashing Seeding Logging ArgumentParser
    """
let tests = """
    Tests/Support
    TestDatabases: GatehouseWire AccountStore ProfileGateway \(databases) CSQLite
    TestSupport: \(composed) TestDatabases SQLDatabase DevStack Logging
    Tests/Client
    GatehouseWireTests:
    GatehouseTests GatehouseModelTests GatehouseTestingTests: TestSupport GatehouseDesktop \(accounts) AuthServer \
    HTTPTypes
    Example Tests/Example/Sources/Example: GatehouseUI Gatehouse SwiftUI AuthenticationServices
    ExampleTests Tests/Example/Tests/ExampleTests: GatehouseTesting Gatehouse
    Tests/Accounts
    AccountDomainTests PasswordHashingTests:
    AccountStoreTests: PostgresDriver ProfileGateway TestDatabases Seeding
    Tests/Databases
    SQLDatabaseTests SQLiteDriverTests PostgresDriverTests: TestDatabases
    Tests/Protocols
    JSONWebTokensTests IdentityProvidersTests SMTPTests MailTemplatesTests TextMessagesTests WebAuthnTests: SoftAuthenticator
    Tests/Server
    HTTPServingTests ProfileGatewayTests: NIOEmbedded
    AuthServerTests: DevStack TestSupport SQLDatabase SoftAuthenticator Seeding
    WebPagesTests GatehouseServerTests EndToEndTests: \(composed) TestSupport SQLDatabase SoftAuthenticator TextMessages
    GatehouseCLITests Tests/Program/GatehouseCLITests: TestSupport
    DevStackTests Tests/Development/DevStackTests: IdentityProviders TestDatabases Logging
    session-explorer Tests/SessionExplorer: Gatehouse GatehouseWire AccountDomain AccountStore \(databases)
    webauthn-verdicts Tests/WebAuthnVerdicts: WebAuthn GatehouseWire
    FuzzTargets Tests/Fuzz/Targets: \(serving) \(accounts) GatehouseCLI AuthServer MailTemplates SMTP
    FuzzTests Tests/Fuzz/Tests: FuzzTargets
    \(isSynchronized ? "PosixSynchronization Tests/Support/PosixSynchronization:" : "")
    \(isFuzzed ? "fuzz Tests/Fuzz/Driver: FuzzTargets" : "")
    """
let screenKit = "GatehouseUI GatehouseModel Gatehouse SwiftUI AuthenticationServices"
let bothApps = "AppSupport BoxScoreScreens DailyRitualScreens ScreenDriver GatehouseTesting \(screenKit)"
/// Only on Linux: what draws and uses screens, both apps, and libraries that are loaded at first use.
let linux = """
    CLateLibrary Sources/System/CLateLibrary:
    CPostgres Sources/System/CPostgres: CLateLibrary
    ScreenDriver Development/HeadlessSwiftUI/ScreenDriver: SwiftUI AuthenticationServices
    LiveScreens Development/LiveScreens: \(serving) AppSupport BoxScoreScreens DailyRitualScreens ScreenDriver \
    GatehouseUI Gatehouse SwiftUI AuthenticationServices DevStack SoftAuthenticator ServiceLifecycle
    AppSupport Apps/Shared: \(screenKit)
    BoxScoreScreens Apps/BoxScore/Screens: \(screenKit)
    BoxScore Apps/BoxScore: \(screenKit) AppSupport BoxScoreScreens GatehouseTesting
    DailyRitualScreens Apps/DailyRitual/Screens: \(screenKit)
    DailyRitual Apps/DailyRitual: \(screenKit) AppSupport DailyRitualScreens GatehouseTesting
    Tests/Client
    GatehouseUITests: GatehouseTesting ScreenDriver
    DocumentationTests: \(screenKit) GatehouseTesting GatehouseDesktop
    AppsTests Tests/Apps/AppsTests: \(bothApps)
    AcceptanceTests Tests/Apps/AcceptanceTests: \(bothApps) \(accounts) TestSupport AuthServer SQLDatabase \
    ProfileGateway SoftAuthenticator GatehouseWire HTTPTypes
    Tests/Development
    HeadlessSwiftUITests: SwiftUI AuthenticationServices ScreenDriver
    LiveScreensTests: Logging TestSupport
    """

// MARK: - What some targets have besides
func words(_ text: String) -> [String] { text.split { " \n".contains($0) }.map(String.init) }
let programs = words(
    "BoxScore DailyRitual gatehouse-seed session-explorer webauthn-verdicts \(isFuzzed ? "fuzz" : "GatehouseCLI")")
/// What Xcode compiles outside of this package: it sees no `package` declaration here either.
let apps = words("AppSupport BoxScoreScreens BoxScore DailyRitualScreens DailyRitual Example")
/// Xcode refuses part of what is a warning here. In an app's build, the warnings of a newer SDK are no errors.
let spotless = isComplete ? apps + words("GatehouseUI LiveScreens ScreenDriver SwiftUI AuthenticationServices") : []
/// Apple's. On Linux, a resource would only add a `Bundle.module`.
let privacy: (excluded: [String], resources: [Resource]) =
    isLinux ? (["PrivacyInfo.xcprivacy"], []) : ([], [.copy("PrivacyInfo.xcprivacy")])
let excluded = [
    "Gatehouse": privacy.excluded, "GatehouseModel": privacy.excluded, "GatehouseUI": privacy.excluded,
    "GatehouseTests": ["StoredSessions"], "GatehouseUITests": ["Wording"], "WebPagesTests": ["Console/chart.html"],
    "HeadlessSwiftUITests": ["Refused"], "AppsTests": ["Snapshots"], "session-explorer": ["explore", "faults.json"],
    "CCommonPasswords": ["digests.txt"], "DailyRitual": words("DailyRitual.xcodeproj Configuration Resources Screens"),
    "BoxScore": words("BoxScore.xcodeproj Configuration Resources Screens UITests teams.json"),
    // C code embeds these.
    "GatehouseServer": ["OpenAPI/openapi.json"], "MailTemplates": words("Texts/Emails.xcstrings Texts/texts.json"),
    "WebPages": words("Texts/Pages.xcstrings Texts/texts.json Assets/pages.css Assets/console.css"),
    "GatehouseCLI": isFuzzed ? ["Program.swift"] : [], "WebAuthnTests": ["Vectors.json"],
]
func embedded(_ files: String) -> [Resource] { words(files).map { .embedInCode($0) } }
let resources: [String: [Resource]] = [
    "Gatehouse": privacy.resources, "GatehouseModel": [.process("Resources")] + privacy.resources,
    "GatehouseUI": [.process("Resources")] + privacy.resources, "IdentityProviders": embedded("OAuth/providers.json"),
    "BoxScoreScreens": [.process("Localizable.xcstrings")], "DailyRitualScreens": [.process("Localizable.xcstrings")],
    "HeadlessSwiftUITests": [.process("Texts")], "MailTemplates": embedded("Layout/mail.html Layout/mail.txt"),
    "WebPages": embedded("Layout/page.html Layout/form.html Layout/console.html Layout/part.html Layout/table.html")
        + embedded("Assets/pages.css.gz Assets/console.css.gz Assets/live.js Assets/account.js Assets/passkey.svg")
        + embedded("Assets/apple.svg Assets/google.svg Assets/mail.svg"), "TextMessages": embedded("providers.json"),
    "LiveScreens": [.copy("Fonts")] + embedded("Page/app.html Page/app.css Page/app.js Page/teams.json"),
]

// MARK: - From rows to targets
let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
let strict = features.map { SwiftSetting.enableUpcomingFeature($0) }
/// `make dist` and `make install` say what the program is built from.
let stamp = ["GATEHOUSE_BUILD_COMMIT", "GATEHOUSE_BUILD_DATE"].compactMap { name in
    environment[name].map { CSetting.define(name, to: $0) }
}
let unwatched = ["GatehouseCLI", "PosixSynchronization", "PreviewPlugin"]
let absentOnMac = words("StringCatalogs SwiftUI AuthenticationServices LiveScreens CLateLibrary")
typealias Row = (name: String, path: String, uses: [String])
/// The rows "name: …", "name path: …" and, for targets that reach the same, "name name: …".
func rows(_ table: String) -> [Row] {
    var folder = ""
    return table.split(separator: "\n").flatMap { line -> [Row] in
        let parts = line.split(separator: ":", omittingEmptySubsequences: false).map { words(String($0)) }
        if parts.count == 1 { folder = parts[0].first ?? "" }
        let path = parts[0].first { $0.contains("/") }, names = parts[0].filter { $0 != path }
        return parts.count == 1 ? [] : names.map { ($0, path ?? "\(folder)/\($0)", parts[1]) }
    }
}
let table = rows(isComplete ? [client, server, tests, isLinux ? linux : ""].joined(separator: "\n") : client)
func target(_ row: Row) -> Target {
    let name = row.name, isTest = name.hasSuffix("Tests"), isWatched = isSynchronized && !unwatched.contains(name)
    let tested = isTest ? table.first { $0.name + "Tests" == name } : nil
    let names = row.uses + (tested.map { $0.uses + [$0.name] } ?? []) + (isWatched ? ["PosixSynchronization"] : [])
    let access = !(apps + ["DocumentationTests", "ExampleTests"]).contains(name)
    let target: Target =
        isTest
        ? .testTarget(name: name, packageAccess: access)
        : programs.contains(name)
            ? .executableTarget(name: name, packageAccess: access)
            : name == "PreviewPlugin" ? .macro(name: name) : .target(name: name, packageAccess: access)
    target.path = row.path
    target.dependencies = Set(names).subtracting(isLinux ? [] : absentOnMac).subtracting([name]).sorted().map { use in
        let package = fetched.first { words($0.products).contains(use) }
        return package.map { .product(name: use, package: $0.name) } ?? .byName(name: use)
    }
    target.exclude = excluded[name] ?? []
    target.resources = resources[name]
    target.cSettings = stamp
    target.swiftSettings =
        strict + (spotless.contains(name) ? [.treatAllWarnings(as: .error)] : [])
        + (name == "fuzz" ? [.unsafeFlags(["-parse-as-library"])] : [])
        + (isWatched ? [.unsafeFlags(["-module-alias", "Synchronization=PosixSynchronization"])] : [])
    target.linkerSettings = name == "CCurl" ? [.linkedLibrary("curl", .when(platforms: [.macOS]))] : nil
    return target
}

// MARK: - The package
let package = Package(
    name: "gatehouse",
    defaultLocalization: "en",
    platforms: [.macOS(isComplete ? .v15 : .v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: words("Gatehouse GatehouseDesktop GatehouseModel GatehouseTesting GatehouseUI")
        .map { .library(name: $0, targets: [$0]) },
    dependencies: fetched.prefix(isComplete ? fetched.count : 1).map {
        // Hummingbird's traits off: the configuration that it could read itself is read once, by `gatehouse`.
        let traits: Set<Package.Dependency.Trait> = $0.name == "hummingbird" ? [] : [.defaults]
        return .package(url: "https://github.com/\($0.owner)/\($0.name).git", from: $0.version, traits: traits)
    },
    targets: table.filter { !$0.name.hasSuffix("Tests") || chosenTests?.contains($0.name) ?? true }.map(target),
    swiftLanguageModes: [.v6]
)
if isComplete {
    package.products += isFuzzed ? [] : [.executable(name: "gatehouse", targets: ["GatehouseCLI"])]
    let libraries = [
        "CArgon2 libargon2 libargon2-dev argon2", "CCrypt libxcrypt libcrypt-dev libxcrypt",
        "CQREncode libqrencode libqrencode-dev qrencode", "CSQLite sqlite3 libsqlite3-dev sqlite",
        "CYAML yaml-0.1 libyaml-dev libyaml", "CPostgres libpq libpq-dev libpq",
    ]
    package.targets += libraries.dropLast(isLinux ? 1 : 0).map(words).map {
        let path = "Sources/System/\($0[0])" + ($0[0] == "CPostgres" ? "/include" : "")
        let providers: [SystemPackageProvider] = [.apt([$0[2]]), .brew([$0[3]])]
        return .systemLibrary(name: $0[0], path: path, pkgConfig: $0[1], providers: providers)
    }
}
