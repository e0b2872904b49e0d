//! Address of a PostgreSQL server: the URL parameters that the driver reads, and those it does not know, for TLS and
//! password files.

use std::fmt;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};

use crate::tls::{Roots, TlsMode, TlsSettings};
use crate::{Error, Result};

/// Maximum bytes read from a password file.
const PASSFILE_MAX: u64 = 1 << 20;
const DEFAULT_PORT: u16 = 5432;

/// Sources of the password when the address has none, as in PostgreSQL's own programs: first the password, then the
/// file.
#[derive(Clone, Default)]
pub struct Credentials {
    /// The value of `PGPASSWORD`.
    pub password: Option<String>,
    /// A file with lines `host:port:database:user:password`: `PGPASSFILE`, or `.pgpass` in the home directory. A
    /// missing file is not an error. A file that users other than its owner may read is not used.
    pub passfile: Option<PathBuf>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let password = self.password.as_ref().map(|_| "…");
        f.debug_struct("Credentials").field("password", &password).field("passfile", &self.passfile).finish()
    }
}

/// A parsed address.
pub(crate) struct Address {
    /// Settings for the driver.
    pub(crate) config: Config,
    /// TLS settings.
    pub(crate) tls: TlsSettings,
}

impl Address {
    /// Parses a URL `postgres://user@host:port/database?name=value`. A missing password is taken from `credentials`.
    ///
    /// # Errors
    /// [`Error::Address`] with a message that contains no secret of the URL.
    pub(crate) fn read(url: &str, credentials: &Credentials) -> Result<Address> {
        let (plain, ours) = split(url)?;
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            let fault = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            Error::Address(format!("the address of the database is not valid: {fault}"))
        })?;
        let mut tls = TlsSettings::read(ours)?;
        if config.get_hosts().is_empty() {
            // The driver needs host names for TLS.
            config.get_hostaddrs().to_vec().iter().for_each(|address| {
                config.host(address.to_string());
            });
        }
        if !config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_))) {
            // As in PostgreSQL's own programs: a local socket cannot be intercepted.
            tls.mode = TlsMode::Disable;
        }
        config.ssl_mode(match tls.mode {
            TlsMode::Disable => SslMode::Disable,
            TlsMode::Prefer => SslMode::Prefer,
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
        });
        tls.is_direct = config.get_ssl_negotiation() == SslNegotiation::Direct;
        if config.get_password().is_none()
            && let Some(password) = password(&config, credentials)?
        {
            config.password(password);
        }
        Ok(Address { config, tls })
    }
}

/// Removes the TLS parameters from a URL and returns them with the rest, a URL for the driver.
fn split(url: &str) -> Result<(String, Vec<(String, String)>)> {
    // The driver takes everything up to the first `@` as user and password.
    let query = match (url.find('?'), url.find('@')) {
        (None, _) => return Ok((url.to_owned(), Vec::new())),
        (Some(query), Some(at)) if query < at => {
            let sentence = "the address of the database has a ? before its @; write %3F for a ? in the user and the password, \
                            and %40 for an @ in parameters";
            return Err(Error::Address(sentence.to_owned()));
        }
        (Some(query), _) => query,
    };
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for pair in url[query + 1..].split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some((name, value)) if TlsSettings::NAMES.contains(&name) => {
                ours.push((name.to_owned(), decoded(name, value)?));
            }
            _ => theirs.push(pair),
        }
    }
    let mut plain = url[..query].to_owned();
    if !theirs.is_empty() {
        plain.push('?');
        plain.push_str(&theirs.join("&"));
    }
    Ok((plain, ours))
}

/// Decodes a percent-encoded value.
fn decoded(name: &str, value: &str) -> Result<String> {
    let broken = || Error::Address(format!("{name} in the address of the database is not percent-encoded UTF-8"));
    let (mut bytes, mut rest) = (Vec::with_capacity(value.len()), value.bytes());
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
        let (high, low) = (digit().ok_or_else(broken)?, digit().ok_or_else(broken)?);
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| broken())?);
    }
    String::from_utf8(bytes).map_err(|_| broken())
}

impl TlsSettings {
    /// URL parameters that are parsed here, not by the driver.
    const NAMES: [&'static str; 4] = ["sslmode", "sslrootcert", "sslcert", "sslkey"];

    fn read(parameters: Vec<(String, String)>) -> Result<TlsSettings> {
        let [mut mode, mut root, mut certificate, mut key] = [const { None::<String> }; 4];
        for (name, value) in parameters {
            match name.as_str() {
                "sslmode" => mode = Some(value),
                "sslrootcert" => root = Some(value),
                "sslcert" => certificate = Some(value),
                _ => key = Some(value),
            }
        }
        let mode = match mode.as_deref() {
            None | Some("prefer") => TlsMode::Prefer,
            Some("disable") => TlsMode::Disable,
            Some("require") => TlsMode::Require,
            Some("verify-ca") => TlsMode::VerifyCa,
            Some("verify-full") => TlsMode::VerifyFull,
            Some(other) => {
                let known = "disable, prefer, require, verify-ca or verify-full";
                return Err(Error::Address(format!("sslmode must be {known}, not \"{other}\"")));
            }
        };
        let roots = match root.as_deref() {
            None | Some("") => None,
            Some("system") => Some(Roots::System),
            Some(path) => Some(Roots::File(path.into())),
        };
        let (mode, roots) = match (mode, roots) {
            // As in PostgreSQL's own programs: naming a file of authorities implies that the certificate is verified.
            (TlsMode::Require, Some(Roots::File(path))) => (TlsMode::VerifyCa, Some(Roots::File(path))),
            (TlsMode::VerifyFull, None) => (TlsMode::VerifyFull, Some(Roots::System)),
            (TlsMode::VerifyFull, roots) => (TlsMode::VerifyFull, roots),
            (mode, Some(Roots::System)) if mode != TlsMode::Disable => {
                // Anybody can get a certificate from a public authority, so without the host name it proves nothing.
                return Err(Error::Address("sslrootcert=system needs sslmode=verify-full".to_owned()));
            }
            (TlsMode::VerifyCa, None) => {
                let sentence =
                    "sslmode=verify-ca needs sslrootcert, a file with the certificate authorities of the server";
                return Err(Error::Address(sentence.to_owned()));
            }
            (mode, roots) => (mode, roots),
        };
        let identity = match (certificate.filter(|path| !path.is_empty()), key.filter(|path| !path.is_empty())) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (Some(_), None) => {
                return Err(Error::Address("sslcert needs sslkey, the file with its private key".to_owned()));
            }
            (None, Some(_)) => {
                return Err(Error::Address("sslkey needs sslcert, the file with its certificate".to_owned()));
            }
        };
        Ok(TlsSettings { mode, roots, identity, is_direct: false })
    }
}

/// Returns the password from outside the address.
fn password(config: &Config, credentials: &Credentials) -> Result<Option<String>> {
    if let Some(password) = credentials.password.as_ref().filter(|password| !password.is_empty()) {
        return Ok(Some(password.clone()));
    }
    let Some(lines) = credentials.passfile.as_deref().and_then(passfile) else { return Ok(None) };
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    let ports = config.get_ports();
    let found: Vec<Option<String>> = config
        .get_hosts()
        .iter()
        .enumerate()
        .map(|(at, host)| {
            let host = match host {
                Host::Tcp(host) => host.clone(),
                Host::Unix(directory) => directory.to_string_lossy().into_owned(),
            };
            let port = ports.get(at).or(ports.first()).copied().unwrap_or(DEFAULT_PORT).to_string();
            entry(&lines, [&host, &port, database, user])
        })
        .collect();
    let mut known: Vec<String> = found.into_iter().flatten().collect();
    known.dedup();
    if known.len() > 1 {
        let sentence = "the password file has different passwords for the hosts of the database's address; all of them must \
                        take the same one";
        return Err(Error::Address(sentence.to_owned()));
    }
    Ok(known.pop())
}

/// Returns the text of the password file, if it exists and only its owner may access it.
fn passfile(path: &Path) -> Option<String> {
    let ignored = |reason: &str| {
        tracing::warn!(path = %path.display(), reason, "the password file is not used");
        None
    };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return ignored(&error.to_string()),
    };
    let facts = match file.metadata() {
        Ok(facts) => facts,
        Err(error) => return ignored(&error.to_string()),
    };
    if !facts.is_file() {
        return ignored("it is not a plain file");
    }
    if facts.mode() & 0o077 != 0 {
        return ignored("users other than its owner may read or write it; run chmod 600 on it");
    }
    let mut text = String::new();
    match file.take(PASSFILE_MAX).read_to_string(&mut text) {
        Ok(_) => Some(text),
        Err(error) => ignored(&error.to_string()),
    }
}

/// Returns the password of the first line whose four fields match.
fn entry(lines: &str, wanted: [&str; 4]) -> Option<String> {
    lines.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = fields(line).into_iter();
        let is_match = wanted.iter().all(|wanted| {
            // Only an unescaped asterisk matches everything: `\*` is a literal name.
            fields.next().is_some_and(|(text, is_plain)| text == *wanted || is_plain && text == "*")
        });
        fields.next().map(|(password, _)| password).filter(|password| is_match && !password.is_empty())
    })
}

/// Splits a line into fields. Each flag is true when the field was written without a backslash.
fn fields(line: &str) -> Vec<(String, bool)> {
    let mut fields = vec![(String::new(), true)];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        // The password ends at the next colon or at the end of the line.
        match (character, fields.last_mut()) {
            (':', _) => fields.push((String::new(), true)),
            ('\\', Some((field, is_plain))) => {
                field.extend(characters.next());
                *is_plain = false;
            }
            (_, Some((field, _))) => field.push(character),
            (_, None) => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn read(url: &str) -> Result<Address, String> {
        Address::read(url, &Credentials::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn modes_and_files_of_tls_are_read() {
        let file = |path: &str| Some(Roots::File(path.into()));
        for (query, mode, roots) in [
            ("", TlsMode::Prefer, None),
            ("?sslmode=disable", TlsMode::Disable, None),
            ("?sslmode=prefer&application_name=x", TlsMode::Prefer, None),
            ("?sslmode=require", TlsMode::Require, None),
            ("?sslmode=require&sslrootcert=/ca.pem", TlsMode::VerifyCa, file("/ca.pem")),
            ("?sslrootcert=/a%20b.pem&sslmode=verify-ca", TlsMode::VerifyCa, file("/a b.pem")),
            ("?sslmode=verify-full", TlsMode::VerifyFull, Some(Roots::System)),
            ("?sslmode=verify-full&sslrootcert=system", TlsMode::VerifyFull, Some(Roots::System)),
            ("?sslmode=verify-full&sslrootcert=/ca.pem", TlsMode::VerifyFull, file("/ca.pem")),
        ] {
            let address = read(&format!("postgres://muriel:p%40ss@db.example:5433/muriel{query}")).unwrap();
            assert_eq!((address.tls.mode, address.tls.roots), (mode, roots), "{query}");
            assert_eq!(address.config.get_password(), Some(&b"p@ss"[..]));
            assert_eq!(address.config.get_ports(), [5433]);
        }
        let socket = read("postgres://muriel@%2Frun%2Fpostgresql/muriel?sslmode=verify-full").unwrap();
        assert_eq!((socket.tls.mode, socket.config.get_ssl_mode()), (TlsMode::Disable, SslMode::Disable));
        let numbers = read("postgres:///muriel?hostaddr=127.0.0.1").unwrap();
        assert_eq!(numbers.config.get_hosts(), [Host::Tcp("127.0.0.1".to_owned())]);
    }

    #[test]
    fn what_is_wrong_with_an_address_is_said_without_its_secrets() {
        for (url, expect) in [
            (
                "postgres://u:s3cret@h/d?sslmode=allow",
                "sslmode must be disable, prefer, require, verify-ca or verify-full, not \"allow\"",
            ),
            ("postgres://u:s3cret@h/d?sslmode=verify-ca", "needs sslrootcert"),
            ("postgres://u:s3cret@h/d?sslmode=verify-ca&sslrootcert=system", "needs sslmode=verify-full"),
            ("postgres://u:s3cret@h/d?sslmode=require&sslcert=/c.pem", "sslcert needs sslkey"),
            ("postgres://u:s3cret@h/d?sslkey=/c.key", "sslkey needs sslcert"),
            ("postgres://u:s3cret@h/d?sslrootcert=%zz", "percent-encoded"),
            ("postgres://u:s3cret?@h/d", "%3F"),
            ("postgres:///d?sslmode=verify-full&application_name=s3cret@h", "%40"),
            ("postgres://u:s3cret@h/d?ssl=on", "unknown option `ssl`"),
            ("postgres://u:s3cret@h:port/d", "invalid value for option `port`"),
        ] {
            let why = read(url).map(drop).unwrap_err();
            assert!(why.contains(expect) && !why.contains("s3cret"), "{url}: {why}");
        }
    }

    #[test]
    fn passwords_come_from_the_address_the_environment_and_the_file_in_this_order() {
        let dir = tempfile::tempdir().unwrap();
        let passfile = dir.path().join("pgpass");
        let lines = "# a comment\ndb.example:5432:muriel:other:no\ndb.example:5432:*:mu\\:riel:with\\\\back\\:slash\n\
                     /run/postgresql:*:*:*:of a socket\n\\*:*:*:*:never\none:*:*:*:first\ntwo:*:*:*:second\n*:6432:*:*:any:rest\n";
        std::fs::write(&passfile, lines).unwrap();
        let mode = |mode: u32| std::fs::set_permissions(&passfile, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o600);
        let with = |url: &str, password: Option<&str>| {
            let credentials = Credentials { password: password.map(str::to_owned), passfile: Some(passfile.clone()) };
            let read = Address::read(url, &credentials).map_err(|error| error.to_string())?;
            Ok::<_, String>(read.config.get_password().map(|password| String::from_utf8_lossy(password).into_owned()))
        };
        for (url, environment, expect) in [
            ("postgres://mu%3Ariel:own@db.example/muriel", Some("environment"), Some("own")),
            ("postgres://mu%3Ariel@db.example/muriel", Some("environment"), Some("environment")),
            ("postgres://mu%3Ariel@db.example/muriel", None, Some("with\\back:slash")),
            ("postgres://mu%3Ariel@db.example/muriel", Some(""), Some("with\\back:slash")),
            ("postgres://nobody@db.example/muriel", None, None),
            ("postgres://mu%3Ariel@db.example:5433/muriel", None, None),
            ("postgres://u@%2Frun%2Fpostgresql/muriel", None, Some("of a socket")),
            ("postgres://u@elsewhere:6432", None, Some("any")),
            ("postgres://u@one,one/d", None, Some("first")),
        ] {
            assert_eq!(with(url, environment).unwrap().as_deref(), expect, "{url} {environment:?}");
        }
        assert!(with("postgres://u@one,two/d", None).unwrap_err().contains("different passwords"));
        for (bits, is_used) in [(0o400, true), (0o640, false), (0o604, false), (0o660, false)] {
            mode(bits);
            assert_eq!(with("postgres://u@one/d", None).unwrap().is_some(), is_used, "{bits:o}");
        }
        std::fs::remove_file(&passfile).unwrap();
        assert_eq!(with("postgres://u@one/d", None).unwrap(), None);
        let shown = format!("{:?}", Credentials { password: Some("s3cret".to_owned()), passfile: None });
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
