import GatehouseServer
package import HTTPServing

/// The line that `gatehouse dev` prints for a request: `GET /auth/v1/user 200 1.2 ms`, with the code of a refusal after it.
package struct DevRequestLine {
    private let request: AnsweredRequest

    package init(request: AnsweredRequest) { self.request = request }

    package var text: String {
        let tenths = (request.took.milliseconds * 10).rounded() / 10
        let line = "\(request.method) \(request.route) \(request.status) \(tenths) ms"
        return request.code.map { "\(line) \($0)" } ?? line
    }
}
