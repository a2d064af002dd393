/// The URLs that a profile may contain. Other users see them as images: a `data:` or `javascript:` URL, or one with
/// quotes, could do harm.
package enum WebAddress {
    /// Whether the text is an `https` URL, or an `http` one on this machine for development.
    package static func isAllowed(_ text: String) -> Bool {
        guard let url = URLParts(text), url.isWeb, url.hasUnambiguousHost, url.hasOnlyURLCharacters else {
            return false
        }
        return url.scheme == "https" || URLParts.loopbackHosts.contains(url.host)
    }

    /// Whether a sign-up or a provider may set the text as a picture: an allowed URL with `https`.
    package static func isPicture(_ text: String) -> Bool { isAllowed(text) && URLParts(text)?.scheme == "https" }
}
