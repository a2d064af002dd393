import CCurl

/// libcurl refused to work, or has no memory or files left.
package struct CurlFailure: Error, Equatable, Sendable {
    /// For the log: the same text for the same failure, without addresses.
    package let cause: String

    package init(_ cause: String) { self.cause = cause }
}

/// libcurl's handle of several transfers.
///
/// Unchecked because a C pointer carries no isolation: one thread uses the handle, and others only wake that thread, which
/// libcurl allows.
package struct CurlMulti: @unchecked Sendable {
    package let pointer: UnsafeMutableRawPointer

    /// Loads libcurl, if nothing has used it yet.
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

    /// Ends the next, or the present, ``wait(milliseconds:)``. Any thread may call it.
    package func wake() { curl_multi_wakeup(pointer) }

    /// Returns when a socket is ready, a time limit ends or another thread has called ``wake()``, at the latest after the
    /// given time.
    package func wait(milliseconds: Int32 = 60_000) { curl_multi_poll(pointer, nil, 0, milliseconds, nil) }

    /// Closes the connections and frees the handle, which must not be used afterwards.
    package func end() { curl_multi_cleanup(pointer) }
}
