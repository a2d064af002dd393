/// The URLs allowed in a profile. Other users load them as images: `data:`, `javascript:` or quotes could do harm.
package enum WebAddress {
    /// `https`, or `http` on this machine.
    package static func isAllowed(_ text: String) -> Bool {
        guard let url = URLParts(text), url.isWeb, url.hasUnambiguousHost, url.hasOnlyURLCharacters else {
            return false
        }
        return url.scheme == "https" || URLParts.loopbackHosts.contains(url.host)
    }

    /// Pictures from a sign-up or provider.
    package static func isPicture(_ text: String) -> Bool { isAllowed(text) && URLParts(text)?.scheme == "https" }
}
