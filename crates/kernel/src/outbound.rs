//! Calls to other servers.

/// Makes ring the process's TLS provider; harmless when called again.
pub fn install_crypto() {
    // An error means that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
