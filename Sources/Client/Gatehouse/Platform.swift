import Foundation
@_exported public import GatehouseWire

// The target's only platform switches.

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif

#if canImport(os)
import os

/// `Mutex` needs iOS 18.
package final class Locked<Value: Sendable>: Sendable {
    private let lock: OSAllocatedUnfairLock<Value>

    package init(_ value: Value) { lock = OSAllocatedUnfairLock(initialState: value) }

    /// Keep `body` short and do not reenter. If it throws, its changes stay.
    package func withLock<Result: Sendable>(_ body: @Sendable (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock(body)
    }
}
#else
import Synchronization

package final class Locked<Value: Sendable>: Sendable {
    private let lock: Mutex<Value>

    package init(_ value: Value) { lock = Mutex(value) }

    /// Keep `body` short and do not reenter. If it throws, its changes stay.
    package func withLock<Result: Sendable>(_ body: @Sendable (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&$0) }
    }
}
#endif

// On a watch, the monitor wrongly reports no connection (Apple's TN3135).
#if canImport(Network) && !os(watchOS)
import Network

func systemReachability() -> Reachability {
    let connection = KnownConnection()
    // Ends after the connection's release.
    Task { [weak connection] in
        for await path in NWPathMonitor() {
            guard let connection else { return }
            connection.set(isOffline: path.status == .unsatisfied)
        }
    }
    return connection.reachability
}
#else
func systemReachability() -> Reachability { .unknown }
#endif

#if canImport(AuthenticationServices) && canImport(Darwin) && !os(tvOS) && !os(watchOS)
import AuthenticationServices

extension ASAuthorizationController {
    /// This device's passkeys only, where the system can.
    func performImmediateRequests() {
        #if os(macOS)
        performRequests()
        #else
        performRequests(options: .preferImmediatelyAvailableCredentials)
        #endif
    }

    /// Above the keyboard; false where that is impossible.
    func performKeyboardRequests() -> Bool {
        #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(visionOS)
        performAutoFillAssistedRequests()
        return true
        #else
        return false
        #endif
    }
}

enum PasskeySignals {
    static func report(_ signal: PasskeySignal) async {
        // New in Xcode 26.2's SDK.
        #if compiler(>=6.2.3)
        if #available(iOS 26.2, macOS 26.2, visionOS 26.2, *) {
            // Ignored: the system refused.
            try? await report(signal, to: ASCredentialDataManager())
            return
        }
        #endif
        if #available(iOS 26, macOS 26, visionOS 26, *) {
            // Ignored: the system refused.
            try? await signal.report(to: ASCredentialUpdater())
        }
    }

    #if compiler(>=6.2.3)
    @available(iOS 26.2, macOS 26.2, visionOS 26.2, *)
    private static func report(_ signal: PasskeySignal, to manager: ASCredentialDataManager) async throws {
        switch signal {
        case .accepted(let party, let user, let credentials):
            try await manager.reportAllAcceptedPublicKeyCredentials(
                relyingPartyIdentifier: party, userHandle: Data(user),
                acceptedCredentialIDs: credentials.map { Data($0) })
        case .unknown(let party, let credential):
            try await manager.reportUnknownPublicKeyCredential(
                relyingPartyIdentifier: party, credentialID: Data(credential))
        case .renamed(let party, let user, let name):
            try await manager.reportPublicKeyCredentialUpdate(
                relyingPartyIdentifier: party, userHandle: Data(user), newName: name)
        }
    }
    #endif
}
#endif

#if !canImport(CryptoKit)
func makeEnclaveKey() -> StoredKey? { nil }

func openEnclaveKey(_: StoredKey) throws(KeyProblem) -> any DeviceKey { throw .gone }
#endif

#if canImport(Security)
package func systemKeychain(
    service: String, accessibility: KeychainAccessibility, clock: ClientClock
) -> (any SecureStorage)? {
    KeychainStorage(service: service, accessibility: accessibility, clock: clock)
}

/// The system deletes it with the app.
func installationFolder() -> URL? {
    #if os(tvOS)
    // tvOS deletes files of apps that are not running; without its marker the app would be signed out.
    nil
    #else
    URL.applicationSupportDirectory
    #endif
}
#else
package func systemKeychain(
    service _: String, accessibility _: KeychainAccessibility, clock _: ClientClock
) -> (any SecureStorage)? { nil }
#endif

#if canImport(Darwin) && !os(macOS)
/// Delays this process's suspension.
///
/// - Parameter isOver: Called shortly before suspension.
/// - Returns: Ends the activity.
func postponeSuspension(_ isOver: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let end = DispatchSemaphore(value: 0)
    // Called if the system grants time, and again, or only, when none is left. The activity lasts as long as the calls.
    ProcessInfo.processInfo.performExpiringActivity(withReason: "A session is being refreshed") { isExpired in
        if isExpired { isOver() }
        end.wait()
        // For the other call.
        end.signal()
    }
    return { end.signal() }
}

/// From opening a file before the device's first unlock (Data Protection).
let errorOfLockedDevice: Int32? = EPERM
#else
func postponeSuspension(_: @escaping @Sendable () -> Void) -> @Sendable () -> Void { {} }

let errorOfLockedDevice: Int32? = nil
#endif

#if os(watchOS)
import WatchKit

@MainActor var becameActive: Notification.Name { WKApplication.didBecomeActiveNotification }
#elseif canImport(UIKit)
import UIKit

@MainActor var becameActive: Notification.Name { UIApplication.didBecomeActiveNotification }
#elseif canImport(AppKit)
import AppKit

@MainActor var becameActive: Notification.Name { NSApplication.didBecomeActiveNotification }
#else
func systemAppleCredentials() -> AppleConsent { .unavailable }
#endif

#if canImport(Darwin)
#if os(macOS)
private let modelName = "hw.model"
private let platformName = "macOS"
#elseif os(tvOS)
private let modelName = "hw.machine"
private let platformName = "tvOS"
#elseif os(watchOS)
private let modelName = "hw.machine"
private let platformName = "watchOS"
#elseif os(visionOS)
private let modelName = "hw.machine"
private let platformName = "visionOS"
#else
private let modelName = "hw.machine"
private let platformName = "iOS"
#endif

/// Such as `iPhone17,3`.
func deviceModel() -> String {
    var size = 0
    guard sysctlbyname(modelName, nil, &size, nil, 0) == 0, size > 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: size)
    guard sysctlbyname(modelName, &bytes, &size, nil, 0) == 0 else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}

/// Such as `iOS 18.2`.
func systemName(_ version: OperatingSystemVersion) -> String {
    "\(platformName) \(version.majorVersion).\(version.minorVersion)"
}
#else
func deviceModel() -> String { "" }

/// Users do not know the kernel's version.
func systemName(_: OperatingSystemVersion) -> String { "Linux" }
#endif
