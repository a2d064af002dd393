import AccountDomain
import Foundation
import GatehouseWire
import JSONWebTokens

extension SettingsReader {
    /// `NUMBER:base64`, newest first.
    mutating func serverSecrets() -> ServerSecrets? {
        let expected = "expected NUMBER:BASE64, newest first, such as 1:$(openssl rand -base64 32)"
        guard required(.secrets, expected) != nil else { return nil }
        var secrets: [(number: UInt8, bytes: [UInt8])] = []
        for entry in list(.secrets) {
            let parts = entry.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let number = UInt8(parts[0]), let bytes = Self.bytes(base64: parts[1]) else {
                refuse(.secrets, expected)
                return nil
            }
            secrets.append((number, bytes))
        }
        guard let known = ServerSecrets(secrets) else {
            refuse(
                .secrets,
                "expected at least one, each of \(ServerSecrets.minimumBytes) bytes or more, with different numbers")
            return nil
        }
        return known
    }

    /// With or without padding, in either alphabet.
    private static func bytes(base64 text: Substring) -> [UInt8]? {
        var text = String(text).replacing("-", with: "+").replacing("_", with: "/")
        while text.hasSuffix("=") { text.removeLast() }
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text).map { Array($0) }
    }

    mutating func apiKeys(_ setting: Setting, prefix: String) -> [Secret] {
        let keys = list(setting)
        if keys.contains(where: { !$0.hasPrefix(prefix) || $0.utf8.count < prefix.utf8.count + 16 }) {
            refuse(setting, "expected keys that start with \(prefix) and go on for 16 characters or more")
        }
        return keys.map(Secret.init)
    }

    mutating func sharedSecret() -> JSONWebKey? {
        guard let text = given[.jwtSecret]?.text else { return nil }
        do throws(KeyProblem) {
            return try JSONWebKey(hs256: Secret(text), id: given[.jwtKeyID]?.text)
        } catch {
            refuse(.jwtSecret, "expected 32 bytes or more")
            return nil
        }
    }

    mutating func importedKeys() -> [JSONWebKey] {
        guard let text = given[.jwtKeys]?.text else { return [] }
        let list: [AuthJSON]
        do throws(JSONProblem) {
            guard let elements = try JSONReader.read(text).arrayValue else { throw .malformed("no array") }
            list = elements
        } catch {
            refuse(.jwtKeys, "expected a JSON array of private JWKs")
            return []
        }
        var keys: [JSONWebKey] = []
        for (index, element) in list.enumerated() {
            do throws(KeyProblem) {
                let key = try JSONWebKey(element)
                if key.id == nil { throw .missingID }
                keys.append(key)
            } catch {
                refuse(.jwtKeys, "key \(index + 1) of the array cannot be used (\(error))")
            }
        }
        let signers = keys.count(where: \.maySign)
        if keys.count == list.count, signers != 1 {
            refuse(.jwtKeys, "expected exactly one key with \"sign\" in its key_ops, found \(signers)")
        }
        return keys
    }
}
