// The only platform switch in SMTPTests: names of the sockets.
import Foundation

#if canImport(Darwin)
let streamSocket = SOCK_STREAM
/// A Mac sends the signal; the tests close no connection while their server writes.
let withoutSignal: Int32 = 0
#else
let streamSocket = Int32(SOCK_STREAM.rawValue)
let withoutSignal = Int32(MSG_NOSIGNAL)
#endif
