import CCurl

/// libcurl refused to work, or has no memory or files left.
package struct CurlFailure: Error, Equatable, Sendable {
    /// For the log: constant for a given failure, without addresses.
    package let cause: String

    package init(_ cause: String) { self.cause = cause }
}

/// libcurl's handle of several transfers.
///
/// Unchecked because a C pointer carries no isolation: one thread uses the handle, and others only wake that thread,
/// which libcurl allows.
package struct CurlMulti: @unchecked Sendable {
    package let pointer: UnsafeMutableRawPointer

    /// Loads libcurl on first use.
    ///
    /// - Throws: ``CurlFailure`` without libcurl, memory or files.
    package init() throws(CurlFailure) {
        guard transfer_library_is_there() != 0 else {
            throw CurlFailure("libcurl.so.4 cannot be loaded: install libcurl (libcurl4)")
        }
        guard transfer_start_library() == CURLE_OK, let pointer = curl_multi_init() else {
            throw CurlFailure("out of memory")
        }
        // Without a file for it, the thread could not be woken.
        guard curl_multi_wakeup(pointer) == CURLM_OK else {
            curl_multi_cleanup(pointer)
            throw CurlFailure("no more files can be opened")
        }
        self.pointer = pointer
    }

    /// Ends the current or next ``wait(milliseconds:)``, from any thread.
    package func wake() { curl_multi_wakeup(pointer) }

    /// Returns when a socket is ready, a time limit expires, another thread calls ``wake()``, or the time is up.
    package func wait(milliseconds: Int32 = 60_000) { curl_multi_poll(pointer, nil, 0, milliseconds, nil) }

    /// Closes the connections. The handle must not be used afterwards.
    package func end() { curl_multi_cleanup(pointer) }
}
