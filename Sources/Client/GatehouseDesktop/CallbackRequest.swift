import Foundation
import Gatehouse

struct CallbackAddress: Hashable, Sendable {
    let authority: String
    let path: String

    /// Without a query.
    var url: URL? { URL(string: "http://" + authority + path) }
}

enum CallbackVerdict: Hashable, Sendable {
    /// The complete URL.
    case callback(URL)
    /// The response's status.
    case refused(Int)
}

extension CallbackVerdict {
    static let end = Array("\r\n\r\n".utf8)

    /// Parses a request head (RFC 9112) without its final empty line.
    ///
    /// Checks `Host`, against DNS rebinding, and Fetch Metadata: another site's image or script must not end the wait.
    init(head: [UInt8], for address: CallbackAddress) {
        guard let lines = Self.lines(head), let first = lines.first, first.utf8.allSatisfy({ $0 < 0x7F }) else {
            self = .refused(400)
            return
        }
        let request = first.split(separator: " ", omittingEmptySubsequences: false)
        guard request.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(request[2]), request[1].hasPrefix("/"),
            let fields = Self.fields(lines.dropFirst()), let hosts = fields["host"], hosts.count == 1
        else {
            self = .refused(400)
            return
        }
        guard hosts[0].lowercased() == address.authority else {
            self = .refused(421)
            return
        }
        let target = request[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard target[0] == address.path else {
            self = .refused(404)
            return
        }
        guard request[0] == "GET" else {
            self = .refused(405)
            return
        }
        guard fields["sec-fetch-dest", default: ["document"]] == ["document"] else {
            self = .refused(403)
            return
        }
        guard let url = URL(string: "http://" + address.authority + request[1]) else {
            self = .refused(400)
            return
        }
        self = .callback(url)
    }

    /// - Returns: nil for a control character or a line without CR LF.
    private static func lines(_ head: [UInt8]) -> [String]? {
        var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false)
        for index in lines.indices.dropLast() {
            guard lines[index].popLast() == 0x0D else { return nil }
        }
        guard lines.allSatisfy({ $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }) else { return nil }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    /// By lowercase name; nil if malformed.
    private static func fields(_ lines: some Sequence<String>) -> [String: [String]]? {
        var fields: [String: [String]] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(where: { $0 == " " || $0 == "\t" }) else {
                return nil
            }
            fields[parts[0].lowercased(), default: []].append(parts[1].trimmingCharacters(in: .whitespaces))
        }
        return fields
    }

    /// Repeats nothing of the request, whose URL contains a code.
    var response: [UInt8] {
        switch self {
        case .callback:
            Self.response("200 OK", "You can close this window", "Go back to the app: it does the rest.")
        case .refused(let status):
            Self.response(Self.line(status), "Nothing here", "This URL expects a different page.")
        }
    }

    private static func line(_ status: Int) -> String {
        switch status {
        case 403: "403 Forbidden"
        case 404: "404 Not Found"
        case 405: "405 Method Not Allowed\r\nAllow: GET"
        case 421: "421 Misdirected Request"
        case 431: "431 Request Header Fields Too Large"
        default: "400 Bad Request"
        }
    }

    private static func response(_ line: String, _ title: String, _ text: String) -> [UInt8] {
        let page = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(title)</title>
            <main>
            <h1>\(title)</h1>
            <p>\(text)</p>
            </main>
            </html>

            """
        let head = [
            "HTTP/1.1 " + line, "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy: same-origin", "Connection: close",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + page).utf8)
    }
}
