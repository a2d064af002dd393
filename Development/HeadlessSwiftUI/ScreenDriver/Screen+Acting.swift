public import Foundation
import SwiftUI

// User actions. Each ends when the screen has settled.
extension Screen {
    /// - Throws: ``ScreenError`` unless there is exactly one, and it is enabled.
    public func tap(_ name: String) async throws {
        let button = try button(name)
        guard button.isEnabled, let action = button.action else {
            throw ScreenError(description: "the button \"\(name)\" is disabled, on\n\(snapshot())")
        }
        await act(action)
    }

    /// The second tap precedes any effect of the first.
    public func tapTwice(_ name: String) async throws {
        let button = try button(name)
        guard button.isEnabled, let action = button.action else {
            throw ScreenError(description: "the button \"\(name)\" is disabled, on\n\(snapshot())")
        }
        await act {
            action()
            action()
        }
    }

    public func tapOutside() async throws {
        let areas = all { $0.details["isTapArea"] == "true" }
        guard let action = areas.first?.action else {
            throw ScreenError(description: "no area takes taps, on\n\(snapshot())")
        }
        await act(action)
    }

    /// Key by key.
    ///
    /// - Throws: As ``focus(_:)``.
    public func type(_ text: String, into name: String) async throws {
        try await focus(name)
        if text.isEmpty { try field(name).field?.write("") }
        for end in text.indices {
            try field(name).field?.write(String(text[...end]))
            host.render()
        }
        await settle()
    }

    /// - Throws: ``ScreenError`` unless there is exactly one, and it is enabled.
    public func focus(_ name: String) async throws {
        let found = try field(name)
        guard found.isEnabled else {
            throw ScreenError(description: "the field \"\(name)\" is disabled, on\n\(snapshot())")
        }
        await act { found.field?.focus(true) }
    }

    /// Presses Return.
    ///
    /// - Throws: ``ScreenError`` unless there is exactly one field.
    public func submit(_ name: String) async throws {
        let found = try field(name)
        await act { found.field?.submit() }
    }

    /// Dismisses the keyboard if the view is set to do so.
    public func scroll() async {
        let hidesKeyboard = !all { $0.details["dismissesKeyboard"] == "true" }.isEmpty
        let focused = all { $0.field?.isFocused == true }.first
        await act { if hidesKeyboard { focused?.field?.focus(false) } }
    }

    /// Waits until the list has reloaded.
    public func pullToRefresh() async throws {
        guard let reload = all({ $0.reload != nil }).first?.reload else {
            throw ScreenError(description: "nothing can be pulled, on\n\(snapshot())")
        }
        await reload()
        await settle()
    }

    /// - Returns: Whether the presentation closed.
    @discardableResult
    public func swipeDown() async -> Bool {
        host.render()
        guard let close = host.presentations.last?.close else { return false }
        await act(close)
        return true
    }

    /// Such as an email's link.
    public func open(_ url: URL) async { await act { host.open(url) } }

    public func goBack() async throws { try await tap("BackButton") }

    private func act(_ action: @MainActor () -> Void) async {
        host.perform(action)
        await settle()
    }

    private static func pause() async {
        // Ignored: `wait` checks for cancellation itself.
        try? await Task.sleep(for: .milliseconds(1))
    }

    /// Runs everything that is ready to run.
    public func settle() async {
        for _ in 0..<40 {
            host.render()
            await Task.yield()
        }
        host.render()
    }

    /// Waits until the condition holds.
    ///
    /// - Throws: ``ScreenError`` if the task is cancelled first. It is also logged: a test's time limit swallows it.
    public func wait(_ reason: String = "", until condition: (Screen) throws -> Bool) async throws {
        host.render()
        var looks = 0
        while try !condition(self) {
            guard !Task.isCancelled else {
                let error = ScreenError(description: "waited in vain \(reason), on\n\(snapshot())")
                NSLog("\(error)".replacing("%", with: "%%"))
                throw error
            }
            looks += 1
            // Most effects need only work that is ready. For others, such as a server's response, this thread must
            // release the processor.
            if looks > 40 { await Self.pause() } else { await Task.yield() }
            host.render()
        }
        await settle()
    }

    public func wait(for text: String) async throws { try await wait("for \"\(text)\"") { $0.shows(text) } }
}
