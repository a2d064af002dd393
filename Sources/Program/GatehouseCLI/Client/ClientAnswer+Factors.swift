package import Foundation
package import Gatehouse

extension ClientAnswer {
    /// - Parameter level: `aal1` or `aal2`.
    package static func factors(_ factors: [AuthFactor], level: String) -> ClientAnswer {
        var table = TextTable(["ID", "KIND", "STATE", "ADDED", "NAME"])
        for factor in factors {
            let name = factor.friendlyName ?? factor.phone.map(CallingCode.formatted)
            table.add([
                factor.id.uuidString.lowercased(), factor.factorType.rawValue.printable, factor.status.rawValue,
                factor.createdAt.wire.prefix(19) + "Z", name?.printable ?? "-",
            ])
        }
        let list = factors.map { factor -> AuthJSON in
            var members: AuthJSONObject = [
                "id": .string(factor.id.uuidString.lowercased()), "type": .string(factor.factorType.rawValue),
                "status": .string(factor.status.rawValue), "name": text(factor.friendlyName),
                "created_at": .string(factor.createdAt.wire),
            ]
            members["phone"] = factor.phone.map { .string("+" + $0) }
            return .object(members)
        }
        let shown = factors.isEmpty ? "The account has no second factor.\n" : table.text
        return ClientAnswer(
            ["level": .string(level), "factors": .array(list)],
            shown + "This session has the level \(level.printable).\n")
    }

    /// The only result with the key.
    package static func enrolled(_ factor: AuthEnrolledFactor, _ totp: AuthEnrolledFactor.TOTP) -> ClientAnswer {
        let id = factor.id.uuidString.lowercased()
        return ClientAnswer(
            [
                "id": .string(id), "name": text(factor.friendlyName), "secret": .string(totp.secret),
                "uri": .string(totp.uri),
            ],
            """
            Enter this key into the authenticator app:

                \(totp.secret.printable)

            Or open this URL on the device with the app:

                \(totp.uri.printable)

            The factor \(id) is not in use until a code confirms it.

            """)
    }

    package static func enrolled(_ factor: AuthEnrolledFactor, _ number: String) -> ClientAnswer {
        let id = factor.id.uuidString.lowercased()
        return ClientAnswer(
            ["id": .string(id), "name": text(factor.friendlyName), "phone": .string(number)],
            "Added \(CallingCode.formatted(number)).\nThe factor \(id) is not in use until a code confirms it.\n")
    }

    package static func challenged(_ factor: UUID, _ challenge: AuthFactorChallenge) -> ClientAnswer {
        let (id, factor) = (challenge.id.uuidString.lowercased(), factor.uuidString.lowercased())
        return ClientAnswer(
            ["challenge": .string(id), "factor": .string(factor), "expires_at": .integer(Int64(challenge.expiresAt))],
            "Texted a code. Enter it with `gatehouse mfa verify --factor \(factor) --challenge \(id)`.\n")
    }

    package static func raised(_ user: AuthUser, server: String) -> ClientAnswer {
        ClientAnswer(
            [
                "level": "aal2", "server": .string(server),
                "user": ["id": .string(user.id.uuidString.lowercased()), "email": text(user.email)],
            ], "Confirmed the second factor of \(name(user)) at \(server).\n")
    }

    package static func removed(_ factor: UUID) -> ClientAnswer {
        let id = factor.uuidString.lowercased()
        return ClientAnswer(["removed": .string(id)], "Removed \(id).\n")
    }

    package static func recoveryCodes(left: Int, of total: Int) -> ClientAnswer {
        ClientAnswer(
            ["remaining": .integer(Int64(left)), "total": .integer(Int64(total))],
            "\(left) of \(total) recovery codes are left.\n")
    }

    /// The only result with the codes.
    package static func recoveryCodes(_ codes: [String]) -> ClientAnswer {
        ClientAnswer(
            ["codes": texts(codes)],
            codes.map { $0.printable.inGroups() + "\n" }.joined()
                + "Keep them where you can reach them without your phone. Each code is single-use.\n")
    }
}
