import AccountDomain
import GatehouseWire
package import HTTPServing
import Hummingbird
import PasswordHashing

// Maps the hashing threads' refusals to responses.
extension SignInHandlers {
    /// - Parameters:
    ///   - salt: nil for a random one.
    ///   - source: Whose share of the queue the work takes.
    func hashed(_ password: Secret, salt: [UInt8]? = nil, for source: HashingSource) async throws -> Secret {
        do throws(HashingRefusal) {
            return try await passwords.hash(password, salt: salt, for: source)
        } catch {
            throw Refusal(hashing: error)
        }
    }

    /// Takes as long without a password, or without an account.
    func check(
        _ password: Secret, against hash: Secret?, for source: HashingSource
    ) async throws -> PasswordCheck {
        do throws(HashingRefusal) {
            return try await passwords.matches(password, hash?.reveal(), for: source)
        } catch {
            throw Refusal(hashing: error)
        }
    }

    func firstMatch(
        of password: Secret, among hashes: [Secret], for source: HashingSource
    ) async throws -> Secret? {
        do throws(HashingRefusal) {
            return try await passwords.firstMatch(of: password, among: hashes.map { $0.reveal() }, for: source)
                .map { hashes[$0] }
        } catch {
            throw Refusal(hashing: error)
        }
    }

    /// - Parameter email: Passwords must not be derived from it.
    /// - Throws: ``Refusal`` `weak_password` (422) with every reason, or `validation_failed` for one that is too long
    ///   or contains control characters.
    func checkStrength(of password: Secret, email: String?) async throws {
        do throws(PasswordRefusal) {
            try settings.passwordPolicy.check(password, of: email)
        } catch {
            throw refusal(of: error)
        }
        if try await isBreached(password) { throw refusal(of: .weak([.pwned])) }
    }

    func refusal(of refusal: PasswordRefusal) -> Refusal {
        let message = settings.passwordPolicy.message(for: refusal)
        guard case .weak(let reasons) = refusal else { return .invalid(message) }
        return Refusal(.unprocessableContent, .weakPassword, message, weakPasswordReasons: reasons.map(\.rawValue))
    }

    /// For sign-ins: a password that the current policy would refuse. Does not call the breach service.
    func strengthMember(of password: Secret, email: String?) -> WeakPasswordMember {
        do throws(PasswordRefusal) {
            try settings.passwordPolicy.check(password, of: email)
            return .fine
        } catch {
            guard case .weak(let reasons) = error else { return .fine }
            return .weak(message: settings.passwordPolicy.message(for: error), reasons: reasons.map(\.rawValue))
        }
    }

    func checkSize(of metadata: AuthJSONObject?) throws {
        guard let metadata else { return }
        let text = AuthJSON.object(metadata).text
        guard text.utf8.count <= settings.tokenRoom.metadataBytes else { throw metadataTooLong }
        try checkDepth(of: metadata)
    }

    var metadataTooLong: Refusal {
        .invalid(
            "user_metadata and app_metadata cannot be longer than \(settings.tokenRoom.metadataBytes) bytes together: "
                + "they are part of every access token")
    }

    func checkDepth(of metadata: AuthJSONObject?) throws {
        guard let metadata, AuthJSON.object(metadata).depth > AccountMetadata.maximumDepth else { return }
        throw Refusal.metadataTooDeep
    }

    func source(_ request: Request, _ context: ServerContext) -> HashingSource {
        runtime.clientAddress.address(peer: context.peerAddress, request.headers).map {
            HashingSource(block: $0.block, address: $0.subscriber)
        } ?? .none
    }
}

extension Refusal {
    package static func invalid(_ message: String) -> Refusal { Refusal(.badRequest, .validationFailed, message) }

    static let metadataTooDeep = invalid(
        "Metadata cannot be nested more than \(AccountMetadata.maximumDepth) levels deep")

    init(hashing refusal: HashingRefusal) {
        switch refusal {
        case .busy(let retryAfter): self = .tooManyRequests(retryAfter: retryAfter, bucket: "password_hashing")
        case .cancelled: self = .timeout
        case .shutDown:
            self.init(
                .serviceUnavailable, .unexpectedFailure, "The server is shutting down, please retry after a moment.",
                headers: [.retryAfter: "1"])
        case .failed:
            self.init(
                .internalServerError, .unexpectedFailure,
                "Unexpected failure, please check server logs for more information", cause: refusal)
        }
    }
}
