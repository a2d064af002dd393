import Foundation
@_exported public import GatehouseWire

// The only platform switches of this target: modules and names that differ on Linux.

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif

#if canImport(os)
import os

/// A value protected by a lock. (`Mutex` needs iOS 18.)
package final class Locked<Value: Sendable>: Sendable {
    private let lock: OSAllocatedUnfairLock<Value>

    /// Creates a lock with an initial value.
    package init(_ value: Value) { lock = OSAllocatedUnfairLock(initialState: value) }

    /// Calls `body` with exclusive access. It must be short and must not use the same lock.
    ///
    /// - Throws: The errors of `body`. Changes that it made before stay.
    package func withLock<Result: Sendable>(_ body: @Sendable (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock(body)
    }
}
#else
import Synchronization

/// A value protected by a lock.
package final class Locked<Value: Sendable>: Sendable {
    private let lock: Mutex<Value>

    /// Creates a lock with an initial value.
    package init(_ value: Value) { lock = Mutex(value) }

    /// Calls `body` with exclusive access. It must be short and must not use the same lock.
    ///
    /// - Throws: The errors of `body`. Changes that it made before stay.
    package func withLock<Result: Sendable>(_ body: @Sendable (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&$0) }
    }
}
#endif

// On a watch, the monitor reports no connection although URLSession has one (Apple's TN3135).
#if canImport(Network) && !os(watchOS)
import Network

/// The system's knowledge of the network; unknown on other systems.
func systemReachability() -> Reachability {
    let connection = KnownConnection()
    // Ends with the first change after the connection was released.
    Task { [weak connection] in
        for await path in NWPathMonitor() {
            guard let connection else { return }
            connection.set(isOffline: path.status == .unsatisfied)
        }
    }
    return connection.reachability
}
#else
/// The system's knowledge of the network; unknown on other systems.
func systemReachability() -> Reachability { .unknown }
#endif

#if canImport(AuthenticationServices) && canImport(Darwin) && !os(tvOS) && !os(watchOS)
import AuthenticationServices

extension ASAuthorizationController {
    /// Offers the passkeys of this device alone, where the system can.
    func performImmediateRequests() {
        #if os(macOS)
        performRequests()
        #else
        performRequests(options: .preferImmediatelyAvailableCredentials)
        #endif
    }

    /// Offers passkeys in the bar above the keyboard.
    ///
    /// - Returns: false where there is no such bar.
    func performKeyboardRequests() -> Bool {
        #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(visionOS)
        performAutoFillAssistedRequests()
        return true
        #else
        return false
        #endif
    }
}

/// Reports changes of passkeys to the system's password managers.
enum PasskeySignals {
    static func report(_ signal: PasskeySignal) async {
        // The class is new in the SDK of Xcode 26.2.
        #if compiler(>=6.2.3)
        if #available(iOS 26.2, macOS 26.2, visionOS 26.2, *) {
            // Ignored: the system did not take the report.
            try? await report(signal, to: ASCredentialDataManager())
            return
        }
        #endif
        if #available(iOS 26, macOS 26, visionOS 26, *) {
            // Ignored: the system did not take the report.
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

#if canImport(Security)
/// The system's keychain; nil if there is none.
package func systemKeychain(
    service: String, accessibility: KeychainAccessibility, clock: ClientClock
) -> (any SecureStorage)? {
    KeychainStorage(service: service, accessibility: accessibility, clock: clock)
}

/// The folder for the marker of an installation, which the system deletes with the app; nil if there is none.
func installationFolder() -> URL? {
    #if os(tvOS)
    // The system deletes files of an app that is not running. Without its marker, the app would be signed out.
    nil
    #else
    URL.applicationSupportDirectory
    #endif
}
#else
/// The system's keychain; nil if there is none.
package func systemKeychain(
    service _: String, accessibility _: KeychainAccessibility, clock _: ClientClock
) -> (any SecureStorage)? { nil }
#endif

#if canImport(Darwin) && !os(macOS)
/// Asks the system not to suspend this process, which it grants for a while.
///
/// - Parameter isOver: Called when the system is about to suspend the process.
/// - Returns: Ends the activity. The system waits for it, also after `isOver`, for a moment.
func postponeSuspension(_ isOver: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let end = DispatchSemaphore(value: 0)
    // Called if the system grants time, and again, or immediately, if none is left. The activity lasts as long as the
    // calls.
    ProcessInfo.processInfo.performExpiringActivity(withReason: "A session is being refreshed") { isExpired in
        if isExpired { isOver() }
        end.wait()
        // For the other call.
        end.signal()
    }
    return { end.signal() }
}

/// The result of opening a file before the first unlock of the device (Data Protection).
let errorOfLockedDevice: Int32? = EPERM
#else
/// Nothing suspends processes here.
func postponeSuspension(_: @escaping @Sendable () -> Void) -> @Sendable () -> Void { {} }

/// Files are never locked here.
let errorOfLockedDevice: Int32? = nil
#endif

#if os(watchOS)
import WatchKit

/// Posted when the app becomes active.
@MainActor var becameActive: Notification.Name { WKApplication.didBecomeActiveNotification }
#elseif canImport(UIKit)
import UIKit

/// Posted when the app becomes active.
@MainActor var becameActive: Notification.Name { UIApplication.didBecomeActiveNotification }
#elseif canImport(AppKit)
import AppKit

/// Posted when the app becomes active.
@MainActor var becameActive: Notification.Name { NSApplication.didBecomeActiveNotification }
#else
/// The system's state of Sign in with Apple; unavailable on other systems.
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

/// Apple's identifier of the model, such as `iPhone17,3`; empty if unknown.
func deviceModel() -> String {
    var size = 0
    guard sysctlbyname(modelName, nil, &size, nil, 0) == 0, size > 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: size)
    guard sysctlbyname(modelName, &bytes, &size, nil, 0) == 0 else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}

/// The system with its version, such as `iOS 18.2`.
func systemName(_ version: OperatingSystemVersion) -> String {
    "\(platformName) \(version.majorVersion).\(version.minorVersion)"
}
#else
/// Unknown here.
func deviceModel() -> String { "" }

/// Without the kernel's version, which tells users nothing.
func systemName(_: OperatingSystemVersion) -> String { "Linux" }
#endif
