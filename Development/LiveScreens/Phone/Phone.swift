import AppSupport
import Foundation
import Gatehouse
import GatehouseUI
import GatehouseWire
import ScreenDriver
import SwiftUI

struct PhoneService: Sendable {
    let server: URL
    let publishableKey: String
    let transport: HTTPTransport
    let clock: ClientClock
    let randomBytes: @Sendable (Int) -> [UInt8]

    /// Unguessable: 32 hexadecimal digits.
    func newName() -> String { randomBytes(16).hexadecimal }

    func callback(_ ticket: String) -> URL { server.appending(path: "app/callback/\(ticket)") }
}

/// Runs the app, operated through a browser.
@MainActor final class Phone {
    let name: String
    let app: ReferenceApp
    private let service: PhoneService
    private let network: PhoneNetwork
    private let sheets: SystemSheets
    /// Instead of a keychain.
    private let storage = MemoryStorage()
    private let memory = SignInMemory.inMemory()
    private(set) var screen: Screen
    private(set) var frame: PhoneFrame
    /// Part of the redirect URL; different after each start of the app.
    private(set) var ticket: String
    private var isScheduled = false
    private var watchers: [(number: Int, wake: AsyncStream<Wake>.Continuation)] = []
    private var watched = 0

    /// - Throws: `AuthError.setup` for an invalid URL.
    init(_ name: String, _ app: ReferenceApp, _ service: PhoneService) throws {
        (self.name, self.app, self.service) = (name, app, service)
        network = PhoneNetwork(service.transport)
        sheets = SystemSheets(server: service.server, network: network)
        ticket = service.newName()
        screen = try Self.start(app, service, ticket, network, storage, memory, sheets, PhoneSettings())
        frame = PhoneFrame(run: service.newName())
        listen()
        publish()
    }

    private static func start(
        _ app: ReferenceApp, _ service: PhoneService, _ ticket: String, _ network: PhoneNetwork,
        _ storage: MemoryStorage, _ memory: SignInMemory, _ sheets: SystemSheets, _ settings: PhoneSettings
    ) throws -> Screen {
        let values = [
            "GatehouseServer": service.server.absoluteString, "GatehousePublishableKey": service.publishableKey,
            "GatehouseRedirect": service.callback(ticket).absoluteString,
        ]
        let account = AuthManager(
            ServerSettings { values[$0] }, reportingAs: app.rawValue.lowercased(), storage: storage,
            transport: network.send, clock: service.clock, memory: memory)
        if let problem = account.setupProblem { throw AuthError.setup(problem) }
        let device = ScriptedDevice()
        device.apple = { [weak sheets] request in
            guard let sheets else { throw CancellationError() }
            return try await sheets.authorize(request)
        }
        device.browser = { [weak sheets] address, _ in
            guard let sheets else { throw CancellationError() }
            return try await sheets.browser.ask(address)
        }
        let root = PhoneRoot(app: app, account: account, date: service.clock.now(), sheets: sheets)
        return Screen(root, settings: settings.screen, device: device)
    }

    func close() {
        screen.onChange = nil
        sheets.close()
        screen.close()
        for watcher in watchers { watcher.wake.finish() }
        watchers = []
    }
}

// User actions.
extension Phone {
    /// - Returns: Whether the element exists and allows the action.
    func act(_ act: LiveAct, on id: String) async -> Bool {
        let isDone = await screen.act(act, on: id)
        publish(anew: !isDone)
        return isDone
    }

    func dismiss() async {
        _ = await screen.dismiss()
        publish()
    }

    /// - Returns: Whether there is a list to pull.
    func reload() async -> Bool {
        // Ignored: it fails only without such a list.
        let isDone = (try? await screen.pullToRefresh()) != nil
        publish(anew: !isDone)
        return isDone
    }

    /// - Returns: Whether the setting and the value exist.
    func set(_ name: String, to value: String) async -> Bool {
        if name == "offline" {
            network.isOffline = value == "true"
            frame.isOffline = network.isOffline
        } else {
            guard frame.settings.set(name, to: value) else { return false }
            screen.settings = frame.settings.screen
            network.language = frame.settings.language
        }
        await screen.settle()
        publish(anew: true)
        return true
    }

    /// Keeps the stored data.
    ///
    /// - Throws: `AuthError.setup` for an invalid URL.
    func restart() async throws {
        screen.onChange = nil
        sheets.close()
        screen.close()
        ticket = service.newName()
        screen = try Self.start(app, service, ticket, network, storage, memory, sheets, frame.settings)
        frame.run = service.newName()
        frame.announcements = []
        listen()
        await screen.settle()
        publish(anew: true)
    }

    /// A browser returns, or the system opens an email's link.
    func open(_ url: URL) async {
        if sheets.browser.isOpen {
            sheets.browser.end(.success(url))
            await screen.settle()
        } else {
            await screen.open(url)
        }
        publish()
    }

    func closeBrowser() async {
        sheets.browser.isOpen = false
        await screen.settle()
        publish()
    }
}

// Display.
extension Phone {
    /// Browser windows per phone; the oldest is disconnected. Over HTTP/1.1 a browser opens at most six connections to
    /// a server, and user input needs some of them.
    static let maximumWatchers = 4

    enum Wake {
        case look
        /// Too many other watchers; no more frames follow.
        case moved
    }

    /// Ends when the phone is deleted or there are too many watchers.
    func watch() -> (number: Int, wakes: AsyncStream<Wake>) {
        let (wakes, wake) = AsyncStream<Wake>.makeStream(bufferingPolicy: .bufferingNewest(1))
        watched += 1
        if watchers.count >= Self.maximumWatchers {
            let oldest = watchers.removeFirst()
            oldest.wake.yield(.moved)
            oldest.wake.finish()
        }
        watchers.append((watched, wake))
        // Wakes the others as well: writing to a closed or reloaded window detects it.
        wakeAll()
        return (watched, wakes)
    }

    func poke(_ number: Int) { watchers.first { $0.number == number }?.wake.yield(.look) }

    private func wakeAll() { for watcher in watchers { watcher.wake.yield(.look) } }

    func unwatch(_ number: Int) { watchers.removeAll { $0.number == number } }

    private func listen() {
        screen.onChange = { [weak self] in self?.schedule() }
    }

    /// Combines many changes into one frame.
    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        Task {
            isScheduled = false
            publish()
        }
    }

    /// - Parameter anew: Publishes even without changes.
    private func publish(anew: Bool = false) {
        var next = frame
        do {
            next.page = try screen.livePage()
            next.problem = nil
        } catch {
            next.problem = "\(error)"
        }
        next.announcements = screen.announcements.enumerated().suffix(5).map {
            PhoneFrame.Announcement(number: $0.offset + 1, text: $0.element)
        }
        guard anew || next != frame else { return }
        next.revision += 1
        frame = next
        wakeAll()
    }
}
