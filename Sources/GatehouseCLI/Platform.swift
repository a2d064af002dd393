import Foundation
import Gatehouse
// The only platform switch in GatehouseCLI: where flock(2), isatty(3) and statvfs(3) come from, where URLSession
// lives, where the terminal client keeps its session, whether the app's screens can be drawn without Apple's SDK, and
// what compiled this program.
import GatehouseServer
import GatehouseWire
import HTTPServing

#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
#if canImport(LiveScreens)
import LiveScreens
#endif

/// The app in a browser, which `gatehouse dev` has where the screens can be drawn: on Linux, with their texts beside
/// the program, as a build leaves them.
struct AppInBrowser {
    let url: String
    let tables: (ServingFloor) -> [RouteTable]

    /// Why it cannot be had, as the end of a sentence.
    struct Missing: Error { let reason: String }

    init(server: String, publishableKey: String) throws(Missing) {
        #if canImport(LiveScreens)
        guard LiveApp.hasTexts else {
            throw Missing(reason: "its texts, the folders gatehouse_*.resources of a build, are not beside the program")
        }
        guard
            let app = LiveApp(
                server: server, publishableKey: publishableKey, transport: SystemDefaults.transport(),
                randomBytes: System.randomBytes)
        else { throw Missing(reason: "\(server) is no address for it") }
        url = server + LiveApp.path
        tables = { [app.table(floor: $0)] }
        #else
        throw Missing(reason: "this program was built without its screens, which are drawn on Linux alone")
        #endif
    }
}

extension Client {
    /// Where the session outlives the command.
    static func storage(
        environment: [String: String], notice: @escaping @Sendable (StorageNotice) -> Void
    ) -> any SecureStorage {
        #if canImport(Darwin)
        // The keychain is for signed programs; one that was built here has no entitlement for it.
        FileStorage(folder: FileStorage.userFolder(name: "gatehouse", environment: environment), notice: notice)
        #else
        // Half a minute is for who has to type the keyring's password.
        SystemStorage.make(name: "gatehouse", environment: environment, serviceLimit: .seconds(30), notice: notice)
        #endif
    }
}

extension ProgramVersion {
    /// The compiler knows its own number only as a condition.
    #if compiler(>=6.4)
    static let compiler = "6.4 or later"
    #elseif compiler(>=6.3)
    static let compiler = "6.3"
    #else
    static let compiler = "6.2"
    #endif
}
