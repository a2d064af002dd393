import CCurl
import CurlTransfers
import Foundation
import GatehouseWire
import HTTPServing
package import IdentityProviders
import Synchronization

/// Runs all libcurl transfers on one thread, so no call waits for another or occupies a Swift thread.
package final class CurlThread: Sendable {
    fileprivate enum Order: Sendable {
        case start(CurlRequest)
        case stop(FirstOutcome<OutgoingHTTP.Answer>)
    }

    private let multi: CurlMulti
    private let orders = Mutex<[Order]>([])

    /// A sixteenth of the process's file limit, at most 256.
    package static var defaultCallsPerHost: Int { max(16, min(256, Descriptors.limit / 16)) }

    /// - Parameter callsPerHost: Or per line; 1,024 more may wait.
    /// - Throws: ``OutgoingFailure/noConnection(_:)`` without libcurl or free file descriptors.
    package init(callsPerHost: Int = defaultCallsPerHost) throws(OutgoingFailure) {
        do throws(CurlFailure) { multi = try CurlMulti() } catch { throw .noConnection(error.cause) }
        Thread.detachNewThread { self.run(callsPerHost) }
    }

    /// - Throws: ``OutgoingFailure``, or `CancellationError` as soon as the caller is cancelled.
    package func answer(to call: OutgoingCall, at url: ProviderURL) async throws -> OutgoingHTTP.Answer {
        let request = CurlRequest(call: call, url: url)
        return try await request.outcome.value(
            startedBy: { give(.start(request)) }, stoppedBy: { self.give(.stop(request.outcome)) })
    }

    private func give(_ order: Order) {
        orders.withLock { $0.append(order) }
        multi.wake()
    }

    private func run(_ callsPerHost: Int) {
        transfer_block_sigpipe()
        var transfers = CurlTransfers(multi.pointer, callsPerHost)
        while true {
            let orders = orders.withLock { orders in
                defer { orders = [] }
                return orders
            }
            for order in orders { transfers.follow(order) }
            transfers.advance()
            multi.wait()
        }
    }
}

private struct CurlTransfers {
    private let multi: UnsafeMutableRawPointer
    private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var hosts: HostQueue<CurlRequest>

    init(_ multi: UnsafeMutableRawPointer, _ callsPerHost: Int) {
        self.multi = multi
        hosts = HostQueue(limit: callsPerHost, waitingLimit: 1_024)
    }

    mutating func follow(_ order: CurlThread.Order) {
        switch order {
        case .start(let request):
            if request.outcome.isOver { return }
            switch hosts.enter(request, at: request.line) {
            case .runs: if !begin(request) { leave(request.line) }
            case .waits: break
            case .isRefused:
                request.outcome.end(.failure(OutgoingFailure.noConnection("too many calls wait for this host")))
            }
        case .stop(let outcome):
            // A waiting request is skipped in its turn.
            if let transfer = running.values.first(where: { $0.request.outcome === outcome }) { remove(transfer) }
        }
    }

    mutating func advance() {
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        while let message = curl_multi_info_read(multi, &count) {
            let (kind, code) = (message.pointee.msg, message.pointee.data.result)
            guard kind == CURLMSG_DONE, let handle = message.pointee.easy_handle, let transfer = running[handle] else {
                continue
            }
            transfer.request.outcome.end(transfer.outcome(code))
            remove(transfer)
        }
    }

    private mutating func remove(_ transfer: CurlTransfer) {
        curl_multi_remove_handle(multi, transfer.handle.pointer)
        running[transfer.handle.pointer] = nil
        leave(transfer.request.line)
    }

    private mutating func leave(_ line: String) {
        while let next = hosts.leave(line) {
            if !next.outcome.isOver, begin(next) { return }
        }
    }

    /// - Returns: Whether the transfer runs. If not, its caller has the error.
    private mutating func begin(_ request: CurlRequest) -> Bool {
        do throws(OutgoingFailure) {
            let transfer = try CurlTransfer(request)
            guard curl_multi_add_handle(multi, transfer.handle.pointer) == CURLM_OK else {
                throw .noConnection("out of memory")
            }
            running[transfer.handle.pointer] = transfer
            return true
        } catch {
            request.outcome.end(.failure(error))
            return false
        }
    }
}
