//! Trusted certificate authorities for connections to other systems.

use std::sync::Arc;
use ureq::tls::{Certificate, RootCerts};

/// Returns the system's certificate authorities, which may include a company's own; Mozilla's where the
/// system has none.
pub fn roots() -> RootCerts {
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        return RootCerts::WebPki;
    }
    let certificates = found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    RootCerts::Specific(Arc::new(certificates))
}
