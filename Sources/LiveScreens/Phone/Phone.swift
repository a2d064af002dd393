import AppSupport
import Foundation
import Gatehouse
import GatehouseWire
import ScreenDriver
import SwiftUI

/// What all phones have in common.
struct PhoneService: Sendable {
    /// The dev server's root.
    let server: URL
    let publishableKey: String
    let transport: HTTPTransport
    let clock: ClientClock
    let randomBytes: @Sendable (Int) -> [UInt8]

    /// A name that nobody guesses: 32 hexadecimal digits.
    func newName() -> String {
        randomBytes(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Where a browser comes back to.
    func callback(_ ticket: String) -> URL { server.appending(path: "app/callback/\(ticket)") }
}

/// A phone with the app on it, and somebody in front of it who uses it through a browser.
@MainActor final class Phone {
    let name: String
    private let service: PhoneService
    private let network: PhoneNetwork
    private let sheets: SystemSheets
    /// What the phone's keychain is.
    private let storage = MemoryStorage()
    private(set) var screen: Screen
    private(set) var frame: PhoneFrame
    /// Of the address that a browser comes back to; another one after each start of the app.
    private(set) var ticket: String
    private var isScheduled = false
    private var watchers: [(number: Int, wake: AsyncStream<Wake>.Continuation)] = []
    private var watched = 0

    /// - Throws: What ``Accounts`` throws for an address.
    init(_ name: String, _ service: PhoneService) throws {
        self.name = name
        self.service = service
        network = PhoneNetwork(service.transport)
        sheets = SystemSheets(server: service.server, network: network)
        ticket = service.newName()
        screen = try Self.start(service, ticket, network, storage, sheets, PhoneSettings())
        frame = PhoneFrame(run: service.newName())
        listen()
        publish()
    }

    private static func start(
        _ service: PhoneService, _ ticket: String, _ network: PhoneNetwork, _ storage: MemoryStorage,
        _ sheets: SystemSheets, _ settings: PhoneSettings
    ) throws -> Screen {
        let values = [
            "GatehouseServer": service.server.absoluteString, "GatehousePublishableKey": service.publishableKey,
            "GatehouseRedirect": service.callback(ticket).absoluteString, "GatehouseGoogle": "YES",
        ]
        let accounts = try Accounts(
            ServerSettings { values[$0] }, storage: storage, transport: network.send, clock: service.clock)
        let device = ScriptedDevice()
        device.apple = { [weak sheets] request in
            guard let sheets else { throw CancellationError() }
            return try await sheets.authorize(request)
        }
        device.browser = { [weak sheets] address, _ in
            guard let sheets else { throw CancellationError() }
            return try await sheets.browser.ask(address)
        }
        return Screen(PhoneRoot(accounts: accounts, sheets: sheets), settings: settings.screen, device: device)
    }

    /// The phone is thrown away: the app ends, and whoever watches is told so.
    func close() {
        screen.onChange = nil
        sheets.close()
        screen.close()
        for watcher in watchers { watcher.wake.finish() }
        watchers = []
    }
}

// What its owner does.
extension Phone {
    /// - Returns: Whether the element is there, and lets it be done.
    func act(_ act: LiveAct, on id: String) async -> Bool {
        let isDone = await screen.act(act, on: id)
        publish(anew: !isDone)
        return isDone
    }

    /// Swipes away what lies on top.
    func dismiss() async {
        _ = await screen.dismiss()
        publish()
    }

    /// Pulls the list down.
    ///
    /// - Returns: Whether there is one.
    func reload() async -> Bool {
        // What is lost: the screen as a text, which says that it has no list to pull.
        let isDone = (try? await screen.pullToRefresh()) != nil
        publish(anew: !isDone)
        return isDone
    }

    /// - Returns: Whether there is such a setting, and such a value.
    func set(_ name: String, to value: String) async -> Bool {
        if name == "offline" {
            network.isOffline = value == "true"
            frame.isOffline = network.isOffline
        } else {
            guard frame.settings.set(name, to: value) else { return false }
            screen.settings = frame.settings.screen
        }
        await screen.settle()
        publish(anew: true)
        return true
    }

    /// Ends the app and starts it again. What it has kept is still there.
    ///
    /// - Throws: What ``Accounts`` throws for an address.
    func restart() async throws {
        screen.onChange = nil
        sheets.close()
        screen.close()
        ticket = service.newName()
        screen = try Self.start(service, ticket, network, storage, sheets, frame.settings)
        frame.run = service.newName()
        frame.announcements = []
        listen()
        await screen.settle()
        publish(anew: true)
    }

    /// A browser comes back, or the system opens a mail's link.
    func open(_ url: URL) async {
        if sheets.browser.isOpen {
            sheets.browser.end(.success(url))
            await screen.settle()
        } else {
            await screen.open(url)
        }
        publish()
    }

    /// The browser's window was closed.
    func closeBrowser() async {
        sheets.browser.isOpen = false
        await screen.settle()
        publish()
    }
}

// What its owner sees.
extension Phone {
    /// Browser windows that can show one phone at a time; the oldest gives way. Over HTTP/1.1 a browser has six
    /// connections to a server: what is tapped and typed needs some, too.
    static let maximumWatchers = 4

    /// Why a watcher is woken.
    enum Wake {
        case look
        /// Too many others watch; nothing follows.
        case moved
    }

    /// Wakes when there is a new ``frame``; ends when the phone is gone, or too many others watch.
    func watch() -> (number: Int, wakes: AsyncStream<Wake>) {
        let (wakes, wake) = AsyncStream<Wake>.makeStream(bufferingPolicy: .bufferingNewest(1))
        watched += 1
        if watchers.count >= Self.maximumWatchers {
            let oldest = watchers.removeFirst()
            oldest.wake.yield(.moved)
            oldest.wake.finish()
        }
        watchers.append((watched, wake))
        // The others as well: a window that was closed or loaded again is found out by what is written to it.
        wakeAll()
        return (watched, wakes)
    }

    /// Wakes one watcher although nothing is new.
    func poke(_ number: Int) { watchers.first { $0.number == number }?.wake.yield(.look) }

    private func wakeAll() { for watcher in watchers { watcher.wake.yield(.look) } }

    func unwatch(_ number: Int) { watchers.removeAll { $0.number == number } }

    private func listen() {
        screen.onChange = { [weak self] in self?.schedule() }
    }

    /// Many changes at once are shown once.
    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        Task {
            isScheduled = false
            publish()
        }
    }

    /// - Parameter anew: Also when nothing has changed.
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
