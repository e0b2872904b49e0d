//! Whom connections to other systems trust.

use std::sync::Arc;
use ureq::tls::{Certificate, RootCerts};

/// The system's certificate authorities, among which may be a company's own; Mozilla's where it has none.
pub fn roots() -> RootCerts {
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        return RootCerts::WebPki;
    }
    let certificates = found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    RootCerts::Specific(Arc::new(certificates))
}
