package import GatehouseServer

/// The minimal configuration, and variants of it.
package enum GivenValues {
    package static let secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA=="
    package static let jwtSecret = "a shared secret that nobody may ever print"
    /// From RFC 7515 appendix A.3.1.
    package static let signingKey = """
        [{"kty":"EC","crv":"P-256","kid":"a","key_ops":["sign","verify"],\
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",\
        "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}]
        """

    /// The same key as an Apple .p8 file.
    package static let appleKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
        H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
        7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
        -----END PRIVATE KEY-----
        """

    package static let least = [
        "GATEHOUSE_DATABASE": "accounts.sqlite",
        "GATEHOUSE_SECRETS": "1:\(secret)",
        "API_EXTERNAL_URL": "https://api.example.org/auth/v1",
    ]

    package static func given(_ changes: [String: String] = [:]) -> GivenSettings {
        GivenSettings(environment: least.merging(changes) { $1 })
    }

    package static func settings(_ changes: [String: String] = [:]) throws -> ServerSettings {
        try ServerSettings(given(changes))
    }

    /// The names reported as wrong.
    package static func problems(
        _ changes: [String: String], parts: Set<ServedPart> = [.auth, .gateway]
    ) -> [SettingsProblem] {
        do throws(SettingsProblems) {
            _ = try ServerSettings(given(changes), parts: parts)
            return []
        } catch {
            return error.problems
        }
    }
}
