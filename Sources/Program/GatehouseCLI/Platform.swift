import Foundation
import Gatehouse
import GatehouseDesktop
// GatehouseCLI's only platform switch. The C library comes with GatehouseServer.
import GatehouseServer
import GatehouseWire
import HTTPServing

#if canImport(LiveScreens)
import LiveScreens
#endif

/// On Linux only, where the screens can be drawn without Apple's SDK, with their texts next to the program.
struct AppInBrowser {
    let url: String
    let tables: (ServerRuntime) -> [RouteTable]

    /// The end of a sentence.
    struct Missing: Error { let reason: String }

    /// The apps' teams: a file for the setting `team_catalogue`.
    static var teams: [UInt8]? {
        #if canImport(LiveScreens)
        LiveApp.teams
        #else
        nil
        #endif
    }

    init(server: String, publishableKey: String) throws(Missing) {
        #if canImport(LiveScreens)
        guard LiveApp.hasResources else {
            throw Missing(reason: "the folders gatehouse_*.resources of the build are not beside the program")
        }
        guard
            let app = LiveApp(
                server: server, publishableKey: publishableKey, transport: SystemDefaults.transport(),
                randomBytes: System.randomBytes)
        else { throw Missing(reason: "\(server) is not a valid URL") }
        url = server + LiveApp.path
        tables = { [app.table(runtime: $0)] }
        #else
        throw Missing(reason: "this program was built without the screens, which are rendered on Linux only")
        #endif
    }
}

extension Client {
    static func storage(
        environment: [String: String], notice: @escaping @Sendable (StorageNotice) -> Void
    ) -> any SecureStorage {
        #if canImport(Darwin)
        // The keychain requires a signed program; a local build has no entitlement.
        FileStorage(folder: FileStorage.userFolder(name: "gatehouse", environment: environment), notice: notice)
        #else
        // Half a minute gives the user time to unlock the keyring.
        DesktopStorage.make(name: "gatehouse", environment: environment, serviceLimit: .seconds(30), notice: notice)
        #endif
    }
}

extension ProgramVersion {
    /// The compiler exposes its version only in conditions.
    #if compiler(>=6.4)
    static let compiler = "6.4 or later"
    #elseif compiler(>=6.3)
    static let compiler = "6.3"
    #else
    static let compiler = "6.2"
    #endif
}
