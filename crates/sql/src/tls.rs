//! TLS for connections to a PostgreSQL server.

use std::future::Future;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};

use crate::{Error, Result};

/// Encryption and verification of the server's certificate: the `sslmode` of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TlsMode {
    /// No TLS.
    Disable,
    /// TLS if the server offers it, with any certificate.
    Prefer,
    /// TLS, with any certificate.
    Require,
    /// TLS, with a certificate signed by a trusted authority.
    VerifyCa,
    /// Like `VerifyCa`, and the certificate must match the host name.
    VerifyFull,
}

/// Source of the trusted certificate authorities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Roots {
    /// Authorities that the system trusts.
    System,
    /// A file with certificates in PEM format.
    File(PathBuf),
}

/// TLS settings of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsSettings {
    pub(crate) mode: TlsMode,
    pub(crate) roots: Option<Roots>,
    /// Files with the client certificate and its private key, which the server may request.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
    /// True when the handshake starts immediately, as PostgreSQL 17 allows.
    pub(crate) is_direct: bool,
}

/// Why a TLS handshake failed.
#[derive(Debug, thiserror::Error)]
#[error("TLS with the database failed")]
pub(crate) struct HandshakeError(#[source] io::Error);

impl HandshakeError {
    /// Returns whether the connection was lost, so that a retry may succeed. False when one side rejected the other's
    /// certificate or TLS version.
    pub(crate) fn is_lost_connection(&self) -> bool {
        !self.0.get_ref().is_some_and(|cause| cause.is::<rustls::Error>())
    }
}

/// Starts TLS handshakes.
#[derive(Clone)]
pub(crate) struct Connector {
    config: Arc<ClientConfig>,
    /// True when the host name is verified, so that it must be a valid name.
    checks_name: bool,
}

impl Connector {
    /// Reads the files that `settings` name. They are read once; a server uses changed files after a restart.
    ///
    /// # Errors
    /// [`Error::Address`] when a file cannot be read or used.
    pub(crate) fn new(settings: &TlsSettings) -> Result<Connector> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let (roots, own) = match &settings.roots {
            None => (None, Vec::new()),
            Some(Roots::System) => (Some(Arc::new(system_roots()?)), Vec::new()),
            Some(Roots::File(path)) => {
                let certificates = certificates("sslrootcert", path)?;
                let mut store = RootCertStore::empty();
                let (added, _) = store.add_parsable_certificates(certificates.iter().cloned());
                if added == 0 {
                    return Err(unusable("sslrootcert", path, "it has no certificate that can be read"));
                }
                (Some(Arc::new(store)), certificates)
            }
        };
        let checks_name = settings.mode == TlsMode::VerifyFull;
        let roots = roots.filter(|_| matches!(settings.mode, TlsMode::VerifyCa | TlsMode::VerifyFull));
        let verifier = Verifier { roots, own, checks_name, provider: provider.clone() };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(Error::unexpected)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match &settings.identity {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let chain = certificates("sslcert", certificate)?;
                let key_der = private_key(key)?;
                let why = |error: rustls::Error| unusable("sslkey", key, &error.to_string());
                config.with_client_auth_cert(chain, key_der).map_err(why)?
            }
        };
        if settings.is_direct {
            config.alpn_protocols = vec![b"postgresql".to_vec()];
        }
        Ok(Connector { config: Arc::new(config), checks_name })
    }
}

/// Returns the certificate authorities that the system trusts.
fn system_roots() -> Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    let (added, _) = store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        let sentence =
            "sslmode=verify-full finds no certificate authorities on this system; name a file of them with sslrootcert";
        return Err(Error::Address(sentence.to_owned()));
    }
    Ok(store)
}

fn certificates(name: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>);
    match read {
        Ok(read) if !read.is_empty() => Ok(read),
        Ok(_) => Err(unusable(name, path, "it has no certificate in PEM format")),
        Err(error) => Err(unusable(name, path, &error.to_string())),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    let facts = std::fs::metadata(path).map_err(|error| unusable("sslkey", path, &error.to_string()))?;
    // A file owned by root may be readable by a group that includes the server's account.
    let forbidden = if facts.uid() == 0 { 0o037 } else { 0o077 };
    if facts.mode() & forbidden != 0 {
        let rule = "others may read or write it; run chmod 600 on it, or chmod 640 if root owns it";
        return Err(unusable("sslkey", path, rule));
    }
    PrivateKeyDer::from_pem_file(path).map_err(|error| {
        let hint = "it must have one private key in PEM format, without a passphrase";
        unusable("sslkey", path, &format!("{hint} ({error})"))
    })
}

fn unusable(name: &str, path: &Path, why: &str) -> Error {
    Error::Address(format!("the file {} of {name} cannot be used: {why}", path.display()))
}

/// Verifies the server's certificate as far as `sslmode` requires.
#[derive(Debug)]
struct Verifier {
    /// The trusted authorities; `None` when any certificate is accepted.
    roots: Option<Arc<RootCertStore>>,
    /// The certificates in the file of authorities. A self-signed one is often the server's own certificate, which the
    /// rules for authorities would reject.
    own: Vec<CertificateDer<'static>>,
    checks_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        if let Some(roots) = &self.roots {
            let certificate = ParsedCertificate::try_from(end_entity)?;
            if !self.own.iter().any(|own| own == end_entity) {
                let algorithms = self.provider.signature_verification_algorithms.all;
                verify_server_cert_signed_by_trust_anchor(&certificate, roots, intermediates, now, algorithms)?;
            }
            if self.checks_name {
                verify_server_name(&certificate, server_name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl<S> MakeTlsConnect<S> for Connector
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = TlsStream<S>;
    type TlsConnect = Handshake;
    type Error = HandshakeError;

    fn make_tls_connect(&mut self, host: &str) -> std::result::Result<Handshake, HandshakeError> {
        let name = match ServerName::try_from(host.to_owned()) {
            Ok(name) => name,
            Err(_) if self.checks_name && !host.is_empty() => {
                let why = format!("sslmode=verify-full cannot check the name of the host {host}");
                return Err(HandshakeError(io::Error::new(io::ErrorKind::InvalidInput, why)));
            }
            // Local sockets have no host name, and the name is not verified.
            Err(_) => ServerName::IpAddress(std::net::IpAddr::from([127, 0, 0, 1]).into()),
        };
        Ok(Handshake { connector: self.config.clone().into(), name })
    }
}

/// A handshake that is about to start.
pub(crate) struct Handshake {
    connector: tokio_rustls::TlsConnector,
    name: ServerName<'static>,
}

impl<S> TlsConnect<S> for Handshake
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = TlsStream<S>;
    type Error = HandshakeError;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<TlsStream<S>, HandshakeError>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let stream = self.connector.connect(self.name, stream).await.map_err(HandshakeError)?;
            Ok(TlsStream(Box::new(stream)))
        })
    }
}

/// An encrypted connection.
pub(crate) struct TlsStream<S>(Box<tokio_rustls::client::TlsStream<S>>);

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for TlsStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TlsStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for TlsStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}
