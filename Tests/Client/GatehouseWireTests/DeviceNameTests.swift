import Foundation
import GatehouseWire
import Testing

@Suite("Names of devices")
struct DeviceNameTests {
    @Test(
        "A user agent names the device, the system and the app",
        arguments: [
            ("Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.2", "iPhone", "Journal · iOS 18.2", .phone),
            ("Daily+Ritual (iPad14,1; iOS 17.0) gatehouse-swift/0.2", "iPad", "Daily Ritual · iPadOS 17.0", .tablet),
            (
                "Journal/2 (MacBookPro18,3; macOS 15.1) gatehouse-swift/0.2", "MacBook Pro", "Journal · macOS 15.1",
                .computer
            ),
            ("Journal/2 (Mac15,3; macOS 15.1) gatehouse-swift/0.2", "Mac", "Journal · macOS 15.1", .computer),
            ("Journal/2 (Watch7,1; watchOS 11.0) gatehouse-swift/0.2", "Apple Watch", "Journal · watchOS 11.0", .watch),
            ("Journal/2 (AppleTV14,1; tvOS 18.0) gatehouse-swift/0.2", "Apple TV", "Journal · tvOS 18.0", .television),
            ("tool (; Linux) gatehouse-swift/0.2", "Linux", "tool", .computer),
            ("gatehouse-cli/0.1", "gatehouse-cli", nil, .other), ("curl/8.5.0", "curl", nil, .other),
            ("Journal/42 CFNetwork/1410.0.3 Darwin/22.6.0", "Journal", nil, .other),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Version/17.2 Mobile/15E148 Safari/604.1", "iPhone", "Safari · iOS 17.2.1", .phone
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "CriOS/120.0.6099.119 Mobile/15E148 Safari/604.1", "iPad", "Chrome · iPadOS 16.6", .tablet
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Version/17.2 Safari/605.1.15", "Mac", "Safari · macOS", .computer
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
                    + "Safari/537.36 Edg/120.0.0.0", "Windows", "Edge", .computer
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0", "Linux", "Firefox", .computer),
            (
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
                    + "Safari/537.36", "ChromeOS", "Chrome", .computer
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A) AppleWebKit/537.36 (KHTML, like Gecko) "
                    + "Chrome/120.0.0.0 Mobile Safari/537.36", "Pixel 8", "Chrome · Android 14", .phone
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
                    + "Safari/537.36", "Android 10", "Chrome", .tablet
            ),
            ("Mozilla/5.0 (Android 14; Mobile; rv:124.0) Gecko/124.0 Firefox/124.0", "Android 14", "Firefox", .phone),
        ] as [(String, String, String?, DeviceName.Kind)])
    func known(_ agent: String, _ name: String, _ details: String?, _ kind: DeviceName.Kind) throws {
        let device = try #require(DeviceName(userAgent: agent))
        #expect(device.name == name && device.details == details && device.kind == kind)
    }

    @Test(
        "A text without a name is no device",
        arguments: ["", " ", "()", "(", "/1", "Mozilla/5.0", "Mozilla/5.0 (", "%20/1"])
    func nothing(_ agent: String) {
        #expect(DeviceName(userAgent: agent) == nil)
    }

    @Test("No name turns the direction of text around, moves a cursor or is long")
    func harmless() throws {
        let device = try #require(DeviceName(userAgent: "a\u{202E}b%0A%1B[2Jc/1"))
        #expect(device.app == "ab[2Jc")
        let long = try #require(DeviceName(userAgent: String(repeating: "a\u{301}", count: 100_000)))
        #expect(long.name.unicodeScalars.count == 64)
        let nested = String(repeating: "(", count: 100_000)
        #expect(DeviceName(userAgent: nested) == nil)
    }

    @Test("A long system of an iPad stays within 64 code points under its new name")
    func longTablet() throws {
        let agent = "App (iPad9,3; iOS 18.\(String(repeating: "2", count: 80))) gatehouse-swift/0.2"
        let system = try #require(DeviceName(userAgent: agent)?.system)
        #expect(system.hasPrefix("iPadOS 18."))
        #expect(system.unicodeScalars.count == 64)
    }

    @Test("An app's user agent is read as it was meant, whatever its name")
    func roundTrip() throws {
        for name in ["Journal", "Daily Ritual", "C++/Notes (beta)", "日記", "100%"] {
            let agent = DeviceName.userAgent(
                app: name, appVersion: "1.2 (3)", model: "iPhone17,3", system: "iOS 18.2;)", version: "0.1")
            #expect(agent.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            let device = try #require(DeviceName(userAgent: agent))
            #expect(device.app == name && device.model == "iPhone" && device.system == "iOS 18.2")
        }
    }

    @Test("A session shows its device and its last use")
    func session() throws {
        let id = try #require(UUID(uuidString: "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"))
        let (start, later) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 60))
        var session = SessionInfo(id: id, createdAt: start, userAgent: "curl/8")
        #expect(session.device?.name == "curl" && session.lastUsedAt == start)
        session.refreshedAt = later
        session.userAgent = nil
        #expect(session.device == nil && session.lastUsedAt == later)
    }
}
