import Foundation
import Testing

/// Invisible properties: the sources suit Apple's SDK and Linux, larger text and right-to-left layout.
@Suite("The screens' sources")
struct SourcesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Sources/Client/GatehouseUI")

    private static var sources: [(name: String, text: String)] {
        get throws {
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            var sources: [(String, String)] = []
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                sources.append((file.lastPathComponent, try String(contentsOf: file, encoding: .utf8)))
            }
            return sources
        }
    }

    @Test("E11: one file has platform switches; all import SwiftUI, AuthenticationServices, Foundation and ours")
    func imports() throws {
        let allowed: Set<Substring> = [
            "SwiftUI", "AuthenticationServices", "Foundation", "Gatehouse", "GatehouseModel",
        ]
        let sources = try Self.sources
        #expect(sources.count > 20)
        for (name, text) in sources {
            if name != "Platform.swift" {
                #expect(text.firstMatch(of: /(?m)^\s*#(?:if|elseif)\b/) == nil, "\(name)")
            }
            let imports = text.matches(of: /(?m)^(?:@\w+ )*(?:public |package |internal )?import (\w+)/).map(\.output.1)
            // QR codes on Apple's systems, and requests elsewhere.
            let platform: Set<Substring> = name == "Platform.swift" ? ["CoreImage", "FoundationNetworking"] : []
            #expect(allowed.union(platform).isSuperset(of: imports), "\(name): \(imports)")
        }
    }

    @Test("No gesture of a form takes the taps of its buttons")
    func taps() throws {
        for (name, text) in try Self.sources { #expect(!text.contains("onTapGesture"), "\(name)") }
    }

    @Test("Apple's button is never in a branch that another text size replaces: its sheet would lose its answer")
    func appleButton() throws {
        for (name, text) in try Self.sources { #expect(!text.contains("ViewThatFits"), "\(name)") }
    }

    @Test("A tap calls its model, which runs the work: no task of a view does more than load, count down or focus")
    func tasks() throws {
        // Models themselves, or bridges to the system.
        let others = ["AppleSheet.swift", "BrowserSheet.swift", "MailLinks.swift"]
        for (name, text) in try Self.sources where !others.contains(name) {
            #expect(!text.contains(/\bTask ?[\{\(]/), "\(name)")
            for task in text.matches(of: /\.task(?:\(id: [^)]*\))? \{([^\n]*)/) {
                #expect(
                    task.1.contains("oad") || task.1.contains("offer") || task.1.contains("countDown")
                        || task.1.contains("isFocused") || task.1.isEmpty, "\(name): \(task.1)")
            }
        }
    }

    @Test("That file alone excludes features that macOS lacks")
    func macOS() throws {
        let regex = try Regex(
            #"navigationBarTitleDisplayMode|keyboardType|textInputAutocapitalization|uiColor|\.topBar|fullScreenCover"#)
        for (name, text) in try Self.sources where name != "Platform.swift" {
            #expect(text.firstMatch(of: regex) == nil, "\(name)")
        }
    }

    @Test(
        "E11: no text has a fixed size, and nothing is at the left or right of a screen",
        arguments: [
            #"\.system\(size: ?[0-9]"#, #"\.(?:left|right)\b"#, #"\.padding\(\.(?:left|right)"#, #"fixedSize\("#,
        ])
    func layout(_ pattern: String) throws {
        let regex = try Regex(pattern)
        for (name, text) in try Self.sources { #expect(text.firstMatch(of: regex) == nil, "\(name)") }
    }

    @Test("A password is the state of a view, and every such view clears it")
    func passwords() throws {
        let holders = try Self.sources.filter { $0.text.contains(/@State private var \w*[pP]assword\b/) }
        #expect(
            holders.map(\.name).sorted() == [
                "ChangeEmailView.swift", "ChangePasswordView.swift", "EmailAuthView.swift", "LinkView.swift",
                "PhoneAuthView.swift", "ProofSheet.swift",
            ])
        for (name, text) in holders {
            #expect(text.contains(".onDisappear"), "\(name): a password exists only as long as the screen")
            #expect(text.contains(/password = ""|password, confirmation, current\) = \("", "", ""\)/), "\(name)")
        }
    }
}
