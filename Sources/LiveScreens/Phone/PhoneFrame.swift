import GatehouseWire
import ScreenDriver
import SwiftUI

/// What a browser is told: the whole screen, each time.
struct PhoneFrame: Hashable, Sendable {
    /// Something that was said to VoiceOver, and the how manyth that was since the app started.
    struct Announcement: Hashable, Sendable {
        var number: Int
        var text: String
    }

    /// Tells this start of the app from others, whose elements may have the same ids.
    var run: String
    /// Counts what has changed.
    var revision = 0
    var page = LivePage()
    var settings = PhoneSettings()
    var isOffline = false
    /// The last few.
    var announcements: [Announcement] = []
    /// Why there is no page, for whoever builds the screens.
    var problem: String?

    func json() -> String {
        let screen = settings.screen
        var writer = JSONWriter(capacity: page.html.utf8.count + 1_024)
        writer.beginObject()
        writer.member("run", run)
        writer.member("revision", Int64(revision))
        writer.member("html", page.html)
        writer.member("focused", page.focused.map(AnyJSON.string) ?? .null)
        writer.member("spoken", page.spokenFocus.map(AnyJSON.string) ?? .null)
        writer.member("top", page.top)
        writer.member("canReload", page.canReload)
        writer.member("language", settings.language)
        writer.member("appearance", settings.isDark ? "dark" : "light")
        writer.member("size", settings.size)
        writer.member("offline", isOffline)
        writer.member("direction", screen.layoutDirection == .rightToLeft ? "rtl" : "ltr")
        writer.member("fontSize", "\(17 * screen.dynamicTypeSize.factor)px")
        writer.member("problem", problem.map(AnyJSON.string) ?? .null)
        writer.name("announcements")
        writer.beginArray()
        for announcement in announcements {
            writer.beginObject()
            writer.member("number", Int64(announcement.number))
            writer.member("text", announcement.text)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.text
    }
}
