public import Gatehouse
import SwiftUI

/// The journal's own part of the account: the profile that onboarding fills in.
@MainActor @Observable
final class JournalModel {
    enum Phase: Hashable {
        /// Nobody is signed in, or nothing is known of them yet.
        case plain
        /// The first sign-in: the person has yet to say who they are and where.
        case onboarding(Profile)
        case ready(Profile)
    }

    private(set) var phase = Phase.plain
    /// Why the last call failed, as the person is told.
    private(set) var hasFailed = false
    private(set) var isSaving = false
    private let calls: ProfileCalls

    init(calls: ProfileCalls) { self.calls = calls }

    /// - Parameter person: Who is signed in; nil for a guest.
    func load(_ person: UUID?) async {
        hasFailed = false
        guard person != nil else {
            phase = .plain
            return
        }
        do {
            show(try await calls.load())
        } catch is CancellationError {
            // Somebody else is signed in: their load has begun.
        } catch {
            (phase, hasFailed) = (.plain, true)
        }
    }

    /// Ends the onboarding. On another device it is over, too: the time zone is what tells.
    func finish(name: String, timezone: String) async {
        guard !isSaving else { return }
        (isSaving, hasFailed) = (true, false)
        defer { isSaving = false }
        do {
            show(try await calls.save(ProfileEdit(name: .set(name), timezone: .set(timezone))))
        } catch {
            hasFailed = true
        }
    }

    private func show(_ profile: Profile) {
        phase = profile.timezone == nil ? .onboarding(profile) : .ready(profile)
    }
}

/// What the journal asks the gateway for.
public struct ProfileCalls: Sendable {
    let load: @Sendable () async throws -> Profile
    let save: @Sendable (ProfileEdit) async throws -> Profile

    public init(
        load: @escaping @Sendable () async throws -> Profile,
        save: @escaping @Sendable (ProfileEdit) async throws -> Profile
    ) {
        (self.load, self.save) = (load, save)
    }

    public init(_ gateway: GatewayClient) {
        self.init {
            try await gateway.profile()
        } save: {
            try await gateway.updateProfile($0)
        }
    }
}
