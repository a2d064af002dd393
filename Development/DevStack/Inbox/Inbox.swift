import Foundation
import GatehouseWire
import Synchronization

/// Emails and text messages that a dev server keeps instead of sending: in memory, and in a folder from run to run. Deletes the oldest if
/// there are too many.
package final class Inbox: Sendable {
    package static let maximumCount = 200
    package static let maximumBytes = 16_777_216
    /// Bytes.
    static let longestSearch = 256
    /// Pages that wait for new messages; the oldest is disconnected. Over HTTP/1.1 a browser opens at most six
    /// connections to a server, and the app at `/app` needs most of them.
    static let maximumWatchers = 2

    enum Wake {
        case look
        /// No more events follow.
        case moved
    }

    private struct Kept {
        let message: InboxMessage
        let number: Int
        let size: Int
    }

    private struct State {
        /// Oldest first.
        var messages: [Kept] = []
        var size = 0
        var number = 0
        var watchers: [(number: Int, wake: AsyncStream<Wake>.Continuation)] = []
        var watched = 0
    }

    private let folder: URL
    private let state: Mutex<State>

    /// Also deletes damaged files.
    ///
    /// - Parameter folder: Created if needed, for its owner only.
    /// - Throws: The error of creating or listing the folder.
    package init(folder: String) throws {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var kept = State()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            guard let number = Self.number(of: name) else { continue }
            kept.number = max(kept.number, number)
            let file = folder.appending(path: name)
            // Ignored: an unreadable message must not keep a dev server from starting.
            guard let bytes = try? Data(contentsOf: file), let json = try? JSONReader.read(Array(bytes)),
                let message = InboxMessage(json: json)
            else {
                // Ignored: the next start retries the removal.
                try? FileManager.default.removeItem(at: file)
                continue
            }
            kept.messages.append(Kept(message: message, number: number, size: bytes.count))
            kept.size += bytes.count
        }
        self.folder = folder
        state = Mutex(kept)
        state.withLock { trim(&$0) }
    }

    /// Replaces an earlier copy, and deletes the oldest messages if there are too many.
    ///
    /// - Throws: The error of writing the file; the inbox is unchanged.
    package func keep(_ mail: InboxMail) throws { try keep(.mail(mail)) }

    /// As with an email.
    package func keep(_ text: InboxText) throws { try keep(.text(text)) }

    private func keep(_ message: InboxMessage) throws {
        let bytes = Data(message.json.text.utf8)
        try state.withLock { state in
            let number = state.number + 1
            try bytes.write(to: file(number), options: .atomic)
            state.number = number
            for copy in state.messages where copy.message.id == message.id { remove(copy, &state) }
            state.messages.append(Kept(message: message, number: number, size: bytes.count))
            state.size += bytes.count
            trim(&state)
            wake(state)
        }
    }

    /// Emails that contain all words, newest first.
    package func mails(containing text: String = "") -> [InboxMail] { messages(containing: text).compactMap(\.mail) }

    /// Text messages that contain all words, newest first.
    package func texts(containing text: String = "") -> [InboxText] { messages(containing: text).compactMap(\.text) }

    /// Newest first.
    func messages(containing text: String) -> [InboxMessage] {
        let words = text.lowercased().utf8.prefix(Self.longestSearch).split { $0 <= 0x20 }.map(Array.init)
        let messages = state.withLock { $0.messages }
        return messages.reversed().map(\.message).filter { $0.matches(words) }
    }

    var count: Int { state.withLock(\.messages.count) }

    package func mail(_ id: String) -> InboxMail? { message(id)?.mail }

    package func text(_ id: String) -> InboxText? { message(id)?.text }

    private func message(_ id: String) -> InboxMessage? {
        state.withLock { $0.messages.first { $0.message.id == id }?.message }
    }

    private func trim(_ state: inout State) {
        while state.messages.count > Self.maximumCount
            || (state.size > Self.maximumBytes && state.messages.count > 1)
        {
            remove(state.messages[0], &state)
        }
    }

    private func remove(_ kept: Kept, _ state: inout State) {
        state.messages.removeAll { $0.number == kept.number }
        state.size -= kept.size
        // Ignored: the next start reads and counts a file that stays.
        try? FileManager.default.removeItem(at: file(kept.number))
    }

    /// Names sort by age.
    private func file(_ number: Int) -> URL {
        let digits = String(number)
        return folder.appending(path: String(repeating: "0", count: max(0, 12 - digits.count)) + digits + ".json")
    }

    private static func number(of name: String) -> Int? {
        name.hasSuffix(".json") && name.utf8.count == 17 ? Int(name.prefix(12)) : nil
    }
}

extension Inbox {
    /// Wakes for each new message, and once at the beginning.
    func watch() -> (number: Int, wakes: AsyncStream<Wake>) {
        let (wakes, wake) = AsyncStream<Wake>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.watched += 1
            if state.watchers.count >= Self.maximumWatchers {
                let oldest = state.watchers.removeFirst()
                oldest.wake.yield(.moved)
                oldest.wake.finish()
            }
            state.watchers.append((state.watched, wake))
            return state.watched
        }
        wake.yield(.look)
        return (number, wakes)
    }

    func poke(_ number: Int) {
        state.withLock { state in _ = state.watchers.first { $0.number == number }?.wake.yield(.look) }
    }

    func unwatch(_ number: Int) { state.withLock { $0.watchers.removeAll { $0.number == number } } }

    private func wake(_ state: State) { for watcher in state.watchers { watcher.wake.yield(.look) } }
}
