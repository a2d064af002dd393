import GatehouseWire
import ScreenDriver
import SwiftUI

/// The complete state that a browser displays.
struct PhoneFrame: Hashable, Sendable {
    /// Numbered since the app's start.
    struct Announcement: Hashable, Sendable {
        var number: Int
        var text: String
    }

    /// Starts of the app, whose elements may have the same ids.
    var run: String
    var revision = 0
    var page = LivePage()
    var settings = PhoneSettings()
    var isOffline = false
    /// The most recent ones.
    var announcements: [Announcement] = []
    var problem: String?

    func json() -> String {
        let screen = settings.screen
        var writer = JSONWriter(capacity: page.html.utf8.count + 1_024)
        writer.beginObject()
        writer.member("run", run)
        writer.member("revision", Int64(revision))
        writer.member("html", page.html)
        writer.member("focused", page.focused.map(AuthJSON.string) ?? .null)
        writer.member("spoken", page.spokenFocus.map(AuthJSON.string) ?? .null)
        writer.member("top", page.top)
        writer.member("canReload", page.canReload)
        writer.member("language", settings.language)
        writer.member("appearance", settings.isDark ? "dark" : "light")
        writer.member("size", settings.size)
        writer.member("offline", isOffline)
        writer.member("direction", screen.layoutDirection == .rightToLeft ? "rtl" : "ltr")
        writer.member("fontSize", "\(17 * screen.dynamicTypeSize.factor)px")
        writer.member("problem", problem.map(AuthJSON.string) ?? .null)
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
