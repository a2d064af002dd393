import Crypto
import GatehouseWire
import JSONWebTokens

/// For these tests only; they protect nothing.
enum TestKeys {
    /// RS256, as Apple and Google sign.
    static func rsa() throws -> JSONWebKey { try JSONWebKey(rsaJWK) }
    static func es256(_ id: String = "es-1") -> JSONWebKey { .newES256(id: id) }

    /// A key of any algorithm but HS256.
    static func key(_ algorithm: SigningAlgorithm) throws -> JSONWebKey {
        let jwk: AuthJSON =
            switch algorithm {
            case .hs256, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: rsaJWK
            case .es256: curve("P-256", P256.Signing.PrivateKey().x963Representation, size: 32)
            case .es384: curve("P-384", P384.Signing.PrivateKey().x963Representation, size: 48)
            case .es512: curve("P-521", P521.Signing.PrivateKey().x963Representation, size: 66)
            case .edDSA:
                [
                    "kty": "OKP", "crv": "Ed25519", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
                    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                ]
            }
        return try JSONWebKey(jwk.with(["alg": .string(algorithm.rawValue), "kid": .string(algorithm.rawValue)]))
    }

    /// - Parameter key: The byte 4, then x, y and d (ANSI X9.63).
    private static func curve(_ name: String, _ key: some Sequence<UInt8>, size: Int) -> AuthJSON {
        let bytes = Array(key.dropFirst())
        let number = { (index: Int) in AuthJSON.string(Base64URL.text(Array(bytes[index * size..<(index + 1) * size])))
        }
        return ["kty": "EC", "crv": .string(name), "x": number(0), "y": number(1), "d": number(2)]
    }

    /// Signed as the header says, possible for any holder of the key.
    static func token(header: AuthJSON, _ payload: AuthJSON, _ sign: ([UInt8]) throws -> [UInt8]) rethrows -> String {
        let input = [header, payload].map { Base64URL.text(Array($0.text.utf8)) }.joined(separator: ".")
        return try input + "." + Base64URL.text(sign(Array(input.utf8)))
    }

    private static let rsaJWK: AuthJSON = [
        "kty": "RSA", "alg": "RS256", "kid": "rs-1",
        "n": .string(
            [
                "tAKQjEVwwJHJ0Hk2Cn3AJxy05C6fA8tfjD2fFmxML1nLmthU9ga-mkavjhl0YHUrzvtd6dQGBEOzmtcR0jWA5ZpSF7pbysxy",
                "fIX0itMVtlzg4V-bYtVBxjdLIOgzeY6Q-7ZibcoQAAP7k6LHltB24tfbG1saHlo7RM0KQgKJeY4fqzVK_DlnT84f27BNFgmO",
                "dQPsYSXrOIpIuM2e7xD2vvIDUPw1z2dvNZkGJjFWwfywOoK2OMALn1NHGGoRjW30KQAv0N8-2wQIFW4M5k7EtGEnoWMaP_S6",
                "zPZaABhixSlVkAsEOVV4RAm71_iONXFA7mYdVsmW3TfrD7eL7QCfVQ",
            ].joined()),
        "e": "AQAB",
        "d": .string(
            [
                "DH2mEURgmyLdUGpCHKRrsOXDdpb2lpvmMil00H3szmyqcxZM_50UXPOyiwd1-sXT_PhBJMXUh2IO7zEPze3uVwr9jyMca1GC",
                "-zmMsGpjy2RIACjdySlM97JkCUabix_gVxsUMD6bxsh_90INxp0KDC_Cxt6W4iF26I1ax3L8yPKnh0NFp7SSckQknt3AoK5H",
                "0LkYhVMnxWvhT3NyxfI0J5OrY8Xe-fGp3Yykg_jyV2hY5IadkaFBN1OVzD7HZnXSiTtErzi9wVD602K4hLmCvUCiTKsJGgds",
                "kCXaFUDFOpY1d9Lu-_J6TXXi3aMP_n3FmFdFGAE41Leyzrct8-E1YQ",
            ].joined()),
        "p": .string(
            [
                "15r1v4oIETqgLh0zwgK6WQfNDz0GB-G5AsGXo74WEMyOrLQ0KsAU4T2Rsb6Ym7bH2_hyw0srkT9lTsopmRLMbgMV9sC8Acmx",
                "f5PLb55sjoxi4SUlmLrpqsWiub8cNppb6FLYu5cIUVLgUXjyQrCKs8o0Xu8KjUbUxIAhokDi_-E",
            ].joined()),
        "q": .string(
            [
                "1bxakf3Q-MaX3Mr-2p9BgFzVSxF7QHyYl2FmILeL7uCFIDLQD3YPU8XQcvrOfMqNSElQeF4gJrVbYjoc-CO4RYPpsV4nyk4e",
                "0JkUMmapGVevkISUvIttKJGPezTsShOYHkV0I6pIfATvBUkIKgCs4g3SDFtCaZ-DvREW_6ptXfU",
            ].joined()),
        "dp": .string(
            [
                "EFm2DUKAfh3-C8E3LZ1bWGkZCfDMxkg96ZGY2FgQAFIi98Hquts6OiKbK-mSVSy1V18uBNVshmVSX3lBUlR0oFsnjUDsgQ40",
                "ocIpiVtwTBclYIGaqkxyb_rw7jkqAJIQKjwuJ3u6q8AnNsZ_SMNuoVfSROjH2hLnC8fTxSQ6ksE",
            ].joined()),
        "dq": .string(
            [
                "B5r4LhG2CeQnKzgd8XGRRxwGivFITXchhuF0XN2rIQjkM80bEjHFQdncHPtHtbEPbe8N6fqPclEpu0kOFtZOjEqxWhpbmBtH",
                "hWytB04X3kr8eEv_buYXMEZdsKilb81asFkQVOSOR7t1Nd7vZ282t6R-QOpOZqvCaEvfYaGS2rE",
            ].joined()),
        "qi": .string(
            [
                "PpEmVrCpKbF9Zwq-WFohA7MQk2_C7oQAb-jlUsISw5PoFfxg9ESpSz-MkpZn9kyKOGQhTw5RNg4B7KAOYI-DDMQX3KhHyiJz",
                "UnLgPWB0L9B44XybOVzCkTXnOSLUali9o4R1uv7Pruo5-Ggd33uRM8h62AjoTLcm0kIPQ3N6qCQ",
            ].joined()),
    ]
}
