import Gatehouse
import SwiftUI
import WidgetKit

/// The widget's content.
struct JournalEntry: TimelineEntry {
    enum Content { case guest, text(String), unavailable }

    let date: Date
    let content: Content
}

struct JournalProvider: TimelineProvider {
    func placeholder(in _: Context) -> JournalEntry { JournalEntry(date: .now, content: .text("Today")) }

    func getSnapshot(in context: Context, completion: @escaping @Sendable (JournalEntry) -> Void) {
        if context.isPreview { return completion(placeholder(in: context)) }
        Task { completion(JournalEntry(date: .now, content: await Self.load())) }
    }

    func getTimeline(in _: Context, completion: @escaping @Sendable (Timeline<JournalEntry>) -> Void) {
        Task {
            let entry = JournalEntry(date: .now, content: await Self.load())
            completion(Timeline(entries: [entry], policy: .after(.now.addingTimeInterval(3_600))))
        }
    }

    private static func load() async -> JournalEntry.Content {
        do {
            let client = try SharedAccount.client()
            var request = URLRequest(url: SharedAccount.api.appending(path: "journal/today"))
            let token = try await client.session.accessToken
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            return .text(String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self))
        } catch AuthClientError.signedOut, AuthClientError.storeUnavailable {
            return .guest
        } catch {
            return .unavailable
        }
    }
}

struct JournalWidgetView: View {
    let entry: JournalEntry

    var body: some View {
        Group {
            switch entry.content {
            case .guest: Text("Sign in")
            case .text(let text): Text(text)
            case .unavailable: Text("Not available now")
            }
        }
        .containerBackground(.background, for: .widget)
    }
}

@main struct JournalWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "journal", provider: JournalProvider()) { JournalWidgetView(entry: $0) }
            .configurationDisplayName("Journal")
    }
}
