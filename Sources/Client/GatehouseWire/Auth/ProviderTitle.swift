/// The names of sign-in providers as people know them.
package enum ProviderTitle {
    /// - Parameter name: The provider's name in the protocol, such as `github` or `custom:acme`.
    /// - Returns: For an unknown provider, its capitalized name without a prefix.
    package static func text(of name: String) -> String {
        if let title = known[ExternalName(trusted: name)] { return title }
        let words = (name.split(ascii: ":").last ?? "").utf8.split { "-_ ".utf8.contains($0) }.map(Substring.init)
        return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    private static let known: [ExternalName: String] = [
        "azure": "Microsoft", "fly": "Fly.io", "github": "GitHub", "gitlab": "GitLab", "linkedin": "LinkedIn",
        "linkedin_oidc": "LinkedIn", "slack_oidc": "Slack", "twitter": "X", "workos": "WorkOS",
    ]
}
