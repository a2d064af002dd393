import AccountDomain
import GatehouseWire
import HTTPServing
import Hummingbird
import PasswordHashing

// Passwords as the routes need them: every refusal of the hashing threads has its answer here.
extension AuthServer {
    func hashed(_ password: Secret) async throws -> Secret {
        do throws(HashingRefusal) {
            return try await passwords.hash(password)
        } catch {
            throw Refusal(hashing: error)
        }
    }

    /// The same work for an account without a password, or for none at all.
    func check(_ password: Secret, against hash: Secret?) async throws -> PasswordCheck {
        do throws(HashingRefusal) {
            return try await passwords.matches(password, hash?.reveal())
        } catch {
            throw Refusal(hashing: error)
        }
    }

    /// - Throws: ``Refusal`` `weak_password` (422) with every reason, `validation_failed` for one that is too long.
    func checkStrength(of password: Secret) throws {
        do throws(PasswordRefusal) {
            try settings.passwordPolicy.check(password)
        } catch {
            let message = settings.passwordPolicy.message(for: error)
            switch error {
            case .tooLong: throw Refusal(.badRequest, .validationFailed, message)
            case .weak(let reasons):
                throw Refusal(
                    .unprocessableContent, "weak_password", message, weakPasswordReasons: reasons.map(\.rawValue))
            }
        }
    }

    /// What a sign-in says of a password that would not be accepted today.
    func strengthMember(of password: Secret) -> WeakPasswordMember {
        do throws(PasswordRefusal) {
            try settings.passwordPolicy.check(password)
            return .fine
        } catch {
            guard case .weak(let reasons) = error else { return .fine }
            return .weak(message: settings.passwordPolicy.message(for: error), reasons: reasons)
        }
    }

    func checkSize(of metadata: [String: AnyJSON]?) throws {
        guard let metadata, AnyJSON.object(metadata).text.utf8.count > AccountMetadata.maximumBytes else { return }
        throw Refusal.metadataTooLong
    }

    func device(_ request: Request, _ context: ServerContext) -> Device {
        Device(
            userAgent: request.headers[.userAgent],
            address: floor.clientAddress.text(peer: context.peerAddress, request.headers))
    }

    /// A proof-key challenge (RFC 7636 §4.2) is checked wherever it is given, also where no code will follow.
    func checkProofKey(_ body: JSONMembers) throws {
        let challenge = try body.string("code_challenge") ?? ""
        let method = try body.string("code_challenge_method") ?? ""
        if challenge.isEmpty, method.isEmpty { return }
        guard !challenge.isEmpty, ["s256", "plain"].contains(method.lowercased()) else {
            throw Refusal.invalid("PKCE flow requires code_challenge_method and code_challenge")
        }
        guard (43...128).contains(challenge.utf8.count) else {
            throw Refusal.invalid("code challenge has to be between 43 and 128 characters")
        }
        let allowed = challenge.utf8.allSatisfy {
            $0 < 0x80 && (Character(Unicode.Scalar($0)).isLetter || Character(Unicode.Scalar($0)).isNumber)
                || "-._~".utf8.contains($0)
        }
        guard allowed else {
            throw Refusal.invalid(
                "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes")
        }
    }
}

extension Refusal {
    static func invalid(_ message: String) -> Refusal { Refusal(.badRequest, .validationFailed, message) }

    static let metadataTooLong = invalid(
        "Metadata cannot be longer than \(AccountMetadata.maximumBytes) bytes: it is part of every access token")

    init(hashing refusal: HashingRefusal) {
        switch refusal {
        case .busy(let retryAfter): self = .tooManyRequests(retryAfter: retryAfter, bucket: "password_hashing")
        case .cancelled: self = .timeout
        case .shutDown:
            self.init(
                .serviceUnavailable, .unexpectedFailure, "The server is going down, please retry after a moment.",
                headers: [.retryAfter: "1"])
        case .failed:
            self.init(
                .internalServerError, .unexpectedFailure,
                "Unexpected failure, please check server logs for more information", cause: refusal)
        }
    }
}
