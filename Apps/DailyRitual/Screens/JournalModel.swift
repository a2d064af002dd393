import Foundation
public import Gatehouse
public import GatehouseModel
import SwiftUI

/// The journal's own part of the account: the profile that the onboarding fills in.
@MainActor @Observable
final class JournalModel {
    enum Phase: Hashable {
        /// Signed out, or the profile is not loaded yet.
        case plain
        /// The first sign-in: the user has not entered a name and time zone yet.
        case onboarding(Profile)
        case ready(Profile)
    }

    private(set) var phase = Phase.plain
    /// Whether the last call failed.
    private(set) var hasFailed = false
    private(set) var isSaving = false
    private let calls: ProfileCalls
    /// The user whose profile is shown: a late answer about another one is dropped.
    @ObservationIgnored private var person: UUID?

    init(calls: ProfileCalls) { self.calls = calls }

    /// - Parameter person: The signed-in user's id; nil if signed out.
    func load(_ person: UUID?) async {
        hasFailed = false
        if person != self.person { phase = .plain }
        self.person = person
        guard person != nil else { return }
        do {
            let profile = try await calls.load()
            if person == self.person { show(profile) }
        } catch is CancellationError {
            // A different user is signed in, whose load has already started.
        } catch {
            if person == self.person { (phase, hasFailed) = (.plain, true) }
        }
    }

    /// Completes the onboarding. The time zone marks it as complete, also for other devices. Continues after the screen
    /// has closed.
    func finish(name: String, timezone: String) {
        guard !isSaving else { return }
        (isSaving, hasFailed) = (true, false)
        Task { [person] in
            defer { isSaving = false }
            do {
                let profile = try await calls.save(ProfileEdit(name: .set(name), timezone: .set(timezone)))
                if person == self.person { show(profile) }
            } catch {
                if person == self.person { hasFailed = true }
            }
        }
    }

    private func show(_ profile: Profile) {
        phase = profile.timezone == nil ? .onboarding(profile) : .ready(profile)
    }
}

/// The gateway calls of the journal.
public struct ProfileCalls: Sendable {
    let load: @Sendable () async throws -> Profile
    let save: @Sendable (ProfileEdit) async throws -> Profile

    public init(
        load: @escaping @Sendable () async throws -> Profile,
        save: @escaping @Sendable (ProfileEdit) async throws -> Profile
    ) {
        (self.load, self.save) = (load, save)
    }

    /// The calls of the account's gateway.
    @MainActor public init(_ account: AuthManager) {
        let gateway = Result { () throws(AuthError) in
            guard let gateway = account.gateway else {
                throw .setup(
                    account.setupProblem ?? SetupProblem(parameter: "gateway", reason: "The service has none."))
            }
            return gateway
        }
        self.init {
            try await gateway.get().profile()
        } save: {
            try await gateway.get().updateProfile($0)
        }
    }
}
