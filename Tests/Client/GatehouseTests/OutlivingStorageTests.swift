import Foundation
import Testing

@testable import Gatehouse

/// Keeps its items when the app is deleted.
private final class Keychain: Sendable {
    struct Failure: Error {}

    private let items = Locked<[String: [UInt8]]>([:])
    private let isLocked = Locked(false)
    private let backups = Locked<[String]>([])

    var contents: [String: [UInt8]] { items.withLock { $0 } }
    /// The folders that were excluded from backups.
    var excluded: [String] { backups.withLock { $0 } }
    func lock(_ isLocked: Bool) { self.isLocked.withLock { $0 = isLocked } }

    /// `container` is the app's folder; nil for a shared store.
    func storage(in container: URL?, name: String = "com.example.app", isApp: Bool = true) -> OutlivingStorage {
        let entries = OutlivingStorage.Entries(
            read: { [self] key in
                if isLocked.withLock({ $0 }) { return .unavailable(StoreProblem(keychainStatus: -25_308)) }
                return items.withLock { $0[key].map(StoredValue.value) ?? .absent }
            },
            write: { [self] bytes, key in
                try check()
                items.withLock { $0[key] = bytes }
            },
            remove: { [self] key in
                try check()
                items.withLock { $0[key] = nil }
            },
            removeAll: { [self] in
                try check()
                items.withLock { $0 = [:] }
            })
        return OutlivingStorage(
            entries,
            marker: container.map { folder in
                InstallationMarker(folder: folder.appendingPathComponent("Gatehouse"), name: name) { [self] url in
                    backups.withLock { $0.append(url.lastPathComponent) }
                }
            }, isOwner: isApp)
    }

    private func check() throws {
        guard isLocked.withLock({ $0 }) else { return }
        throw NSError(domain: "NSOSStatusErrorDomain", code: -25_308)
    }
}

@Suite("Entries that outlive the app")
struct OutlivingStorageTests {
    @Test("A reinstalled app starts signed out, and later starts keep their session")
    func reinstalled() async throws {
        let keychain = Keychain()
        try await TestFolder.with { try keychain.storage(in: $0.url).write([1], for: "k") }
        #expect(keychain.contents == ["k": [1]])
        try await TestFolder.with { folder in
            let first = keychain.storage(in: folder.url)
            #expect(first.read("k") == .absent)
            #expect(keychain.contents.isEmpty)
            try first.write([2], for: "k")
            #expect(keychain.storage(in: folder.url).read("k") == .value([2]))
        }
    }

    @Test("B5: No backup carries the marker, so entries that a backup brought to another device are deleted there")
    func backup() async throws {
        let keychain = Keychain()
        try await TestFolder.with { folder in
            try keychain.storage(in: folder.url).write([1], for: "k")
            #expect(keychain.excluded == ["Gatehouse"])
            // The restored container lacks what is excluded.
            try FileManager.default.removeItem(at: folder.url.appendingPathComponent("Gatehouse"))
            #expect(keychain.storage(in: folder.url).read("k") == .absent)
        }
    }

    @Test("While old entries cannot be deleted, the store is unavailable; nothing is read or written")
    func locked() async throws {
        let keychain = Keychain()
        try await TestFolder.with { try keychain.storage(in: $0.url).write([1], for: "k") }
        try await TestFolder.with { folder in
            let storage = keychain.storage(in: folder.url)
            keychain.lock(true)
            #expect(storage.read("k") == .unavailable(StoreProblem("keychain -25308", cause: .locked)))
            #expect(throws: (any Error).self) { try storage.write([2], for: "k") }
            #expect(throws: (any Error).self) { try storage.remove("k") }
            keychain.lock(false)
            #expect(storage.read("k") == .absent)
        }
    }

    @Test("A marker that cannot be written makes the store unavailable: the next start would delete the session")
    func noMarker() async throws {
        try await TestFolder.with { folder in
            try folder.write("", to: "container")
            let storage = Keychain().storage(in: folder.url.appendingPathComponent("container"))
            guard case .unavailable = storage.read("k") else { throw Keychain.Failure() }
            #expect(throws: (any Error).self) { try storage.write([1], for: "k") }
        }
    }

    @Test("Stores of one app have their own markers; a shared store has none, and keeps its entries")
    func names() async throws {
        let keychain = Keychain()
        try await TestFolder.with { folder in
            try keychain.storage(in: folder.url).write([1], for: "k")
            #expect(keychain.storage(in: nil).read("k") == .value([1]))
            #expect(keychain.storage(in: folder.url, name: "a/b").read("k") == .absent)
            #expect(try folder.names("Gatehouse").count == 2)
        }
    }

    @Test("An extension deletes nothing, and its store is unavailable until the app has used it")
    func notTheApp() async throws {
        let keychain = Keychain()
        try await TestFolder.with { try keychain.storage(in: $0.url).write([1], for: "k") }
        try await TestFolder.with { group in
            let widget = keychain.storage(in: group.url, isApp: false)
            #expect(widget.read("k") == .unavailable(OutlivingStorage.notStarted))
            #expect(throws: OutlivingStorage.notStarted) { try widget.write([2], for: "k") }
            #expect(throws: OutlivingStorage.notStarted) { try widget.remove("k") }
            #expect(keychain.contents == ["k": [1]])
            try keychain.storage(in: group.url).write([3], for: "k")
            #expect(widget.read("k") == .value([3]))
        }
    }

    @Test(
        "Only an app has a marker of its own",
        arguments: [
            ("/Applications/Box%20Score.app", true), ("/a/Box.app/PlugIns/Widget.appex", false),
            ("/usr/local/bin", false),
            ("/a/Box.app/Contents/XPCServices/Sync.xpc", false),
        ])
    func bundles(path: String, isApp: Bool) throws {
        let bundle = try #require(URL(string: "file://" + path))
        let own = URL(fileURLWithPath: "/own")
        let shared = URL(fileURLWithPath: "/shared")
        #expect(InstallationMarker.isApp(bundle) == isApp)
        #expect(InstallationMarker.container(shared: nil, own: own, isApp: isApp) == (isApp ? own : nil))
        #expect(InstallationMarker.container(shared: shared, own: own, isApp: isApp) == shared)
        #expect(InstallationMarker.container(shared: nil, own: nil, isApp: isApp) == nil)
    }

    @Test(
        "Each status of the keychain has its cause",
        arguments: [
            (-25_308, .locked), (-25_316, .locked), (-34_018, .notPermitted), (-25_243, .notPermitted), (-50, .other),
        ] as [(Int32, StoreProblem.Cause)])
    func causes(_ status: Int32, _ cause: StoreProblem.Cause) {
        #expect(StoreProblem(keychainStatus: status) == StoreProblem("keychain \(status)", cause: cause))
    }
}
