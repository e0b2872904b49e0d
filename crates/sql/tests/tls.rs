//! TLS with a real PostgreSQL server. This test starts its own, because the one of `MURIEL_TEST_POSTGRES` has neither
//! certificates nor access rules.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use muriel_sql::{Credentials, Db, Error, LockName, PostgresOptions, Tx, params};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tokio_postgres::NoTls;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// The name in the server's certificate. It does not resolve; `hostaddr` has the address.
const HOST: &str = "db.example";
const PASSWORD: &str = "s3cret: and \\ more";
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A certificate authority of this test.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new(name: &str) -> Result<Authority, AnyError> {
        let (mut params, key) = (CertificateParams::new([])?, KeyPair::generate()?);
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key)?.pem();
        Ok(Authority { issuer: Issuer::new(params, key), pem })
    }

    /// Signs a certificate for hosts or for a user. Returns it with its private key, in PEM format.
    fn sign(&self, hosts: &[&str], user: &str) -> Result<(String, String), AnyError> {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let (mut params, key) = (CertificateParams::new(hosts)?, KeyPair::generate()?);
        params.distinguished_name.push(DnType::CommonName, user);
        Ok((params.signed_by(&key, &self.issuer)?.pem(), key.serialize_pem()))
    }
}

/// A PostgreSQL server, which is stopped when this is dropped.
struct Server {
    process: Child,
    port: u16,
    place: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts a server with the programs and the user of the one of `scripts/with-postgres`.
    async fn start() -> Result<Server, AnyError> {
        let (client, connection) = tokio_postgres::connect(&std::env::var("MURIEL_TEST_POSTGRES")?, NoTls).await?;
        tokio::spawn(connection);
        let sql = "SELECT setting, current_setting('data_directory') FROM pg_config WHERE name = 'BINDIR'";
        let row = client.query_one(sql, &[]).await?;
        let (programs, data): (PathBuf, PathBuf) = (row.get::<_, String>(0).into(), row.get::<_, String>(1).into());
        let owner = fs::metadata(&data)?;

        let place = tempfile::tempdir()?;
        let is_other = fs::metadata(place.path())?.uid() != owner.uid();
        let program = |name: &str| {
            let mut command = Command::new(programs.join(name));
            command.current_dir(place.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if is_other {
                // PostgreSQL refuses to run as root.
                command.uid(owner.uid()).gid(owner.gid());
            }
            command
        };
        chown(place.path(), Some(owner.uid()), Some(owner.gid()))?;
        let data = place.path().join("data");
        let mut initdb = program("initdb");
        initdb.arg("-D").arg(&data).args(["-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
        assert!(initdb.status()?.success(), "initdb failed");

        let (authority, other) = (Authority::new("Test authority")?, Authority::new("Another authority")?);
        let (certificate, key) = authority.sign(&[HOST], "server")?;
        let secret = |name: &str, text: &str| -> Result<(), AnyError> {
            let path = place.path().join(name);
            fs::write(&path, text)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
            Ok(())
        };
        for (name, text) in [("ca.pem", &authority.pem), ("other-ca.pem", &other.pem), ("server.pem", &certificate)] {
            fs::write(place.path().join(name), text)?;
        }
        secret("server.key", &key)?;
        chown(place.path().join("server.key"), Some(owner.uid()), Some(owner.gid()))?;
        for (name, by, user) in [
            ("client", &authority, "certified"),
            ("foreign", &other, "certified"),
            ("somebody", &authority, "somebody"),
        ] {
            let (certificate, key) = by.sign(&[], user)?;
            fs::write(place.path().join(format!("{name}.pem")), certificate)?;
            secret(&format!("{name}.key"), &key)?;
        }
        let rules = "hostnossl all admin all trust\n\
                     hostnossl all plain all trust\n\
                     hostssl all anyone all trust\n\
                     hostssl all muriel all scram-sha-256\n\
                     hostssl all certified all cert\n";
        fs::write(data.join("pg_hba.conf"), rules)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let file = |name: &str| place.path().join(name).display().to_string();
        let mut postgres = program("postgres");
        postgres.arg("-D").arg(&data).args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        postgres.args(["-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "ssl=on"]);
        for (name, path) in [("cert", "server.pem"), ("key", "server.key"), ("ca", "ca.pem")] {
            postgres.arg("-c").arg(format!("ssl_{name}_file={}", file(path)));
        }
        let process = postgres.spawn()?;
        let server = Server { process, port, place };
        let client = server.admin().await?;
        let users = format!(
            "CREATE USER plain; CREATE USER anyone; CREATE USER certified; CREATE USER muriel PASSWORD '{PASSWORD}'"
        );
        client.batch_execute(&users).await?;
        Ok(server)
    }

    /// Opens a connection, once the server accepts them.
    async fn admin(&self) -> Result<tokio_postgres::Client, AnyError> {
        let end = Instant::now() + START_TIMEOUT;
        let url = format!("postgres://admin@127.0.0.1:{}/postgres?sslmode=disable", self.port);
        loop {
            match tokio_postgres::connect(&url, NoTls).await {
                Ok((client, connection)) => {
                    tokio::spawn(connection);
                    return Ok(client);
                }
                Err(error) if Instant::now() > end => return Err(error.into()),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Address for a user. In `parameters`, `DIR` stands for the directory of the certificates.
    fn url(&self, user: &str, host: &str, parameters: &str) -> String {
        let directory = self.place.path().display().to_string();
        let parameters = parameters.replace("DIR", &directory);
        format!("postgres://{user}@{host}:{}/postgres?hostaddr=127.0.0.1&{parameters}", self.port)
    }
}

/// Returns whether a connection is encrypted, or why it failed.
async fn connect(url: &str, credentials: Credentials) -> Result<bool, String> {
    let options = PostgresOptions { credentials, ..PostgresOptions::default() };
    let connected = Db::postgres(url, options).await;
    let db = connected.map_err(|error| {
        // Retrying is useless with a server that will reject the next attempt too.
        assert!(error.is_refusal() || matches!(error, Error::Address(_)), "{error:?}");
        chain(&error)
    })?;
    let encrypted = db.read(|tx: &mut dyn Tx| {
        Box::pin(async move {
            let sql = "SELECT CAST(ssl AS INTEGER) AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
            let rows = tx.query(sql, params![]).await?;
            rows[0].flag("ssl")
        })
    });
    let encrypted = encrypted.await.map_err(|error: Error| chain(&error))?;
    // Locks and listeners have their own connections.
    let lock = db.session_lock(LockName { kind: 1, id: 1 }).await.map_err(|error| chain(&error))?;
    assert!(lock.expect("nobody else has the lock").is_held().await);
    db.close().await.map_err(|error| chain(&error))?;
    Ok(encrypted)
}

fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Runs a test of this file again, with a server of `scripts/with-postgres`.
fn run_with_own_server(test: &str) -> Result<(), AnyError> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/with-postgres");
    let mut command = Command::new(script);
    command.arg(std::env::current_exe()?).args(["--exact", test, "--nocapture"]);
    let output = command.env_remove("MURIEL_TEST_POSTGRES").stdin(Stdio::null()).output()?;
    let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    // No test is run, successfully, if there is none of this name.
    assert!(output.status.success() && printed.contains("ok. 1 passed"), "{printed}");
    Ok(())
}

#[tokio::test]
async fn connections_are_encrypted_as_the_address_says() -> Result<(), AnyError> {
    assert!(
        std::env::var_os("MURIEL_TEST_POSTGRES").is_some(),
        "MURIEL_TEST_POSTGRES is not set: run through scripts/with-postgres (make test does)"
    );
    // A server that somebody else has started may be on another machine, so its programs cannot be used.
    if std::env::var_os("MURIEL_TEST_POSTGRES_IS_PRIVATE").is_none() {
        return run_with_own_server("connections_are_encrypted_as_the_address_says");
    }
    let server = Server::start().await?;
    let ca = "sslrootcert=DIR/ca.pem";
    let (encrypted, plain) = (Ok(true), Ok(false));
    for (user, host, parameters, expect) in [
        // Any certificate is accepted here, also for another host name.
        ("anyone", "127.0.0.1", "", encrypted),
        ("anyone", "127.0.0.1", "sslmode=prefer", encrypted),
        ("anyone", "other.example", "sslmode=require", encrypted),
        ("anyone", "db.example", "sslmode=disable", Err("no encryption")),
        // The server's access rules allow no TLS.
        ("plain", "db.example", "", plain),
        ("plain", "db.example", "sslmode=disable", plain),
        ("plain", "db.example", "sslmode=require", Err("SSL encryption")),
        // The authority is verified, the host name is not.
        ("anyone", "other.example", "sslmode=verify-ca&sslrootcert=DIR/ca.pem", encrypted),
        ("anyone", "other.example", "sslmode=require&sslrootcert=DIR/ca.pem", encrypted),
        ("anyone", "db.example", "sslmode=verify-ca&sslrootcert=DIR/other-ca.pem", Err("UnknownIssuer")),
        // The server's own certificate in place of an authority's.
        ("anyone", "db.example", "sslmode=verify-full&sslrootcert=DIR/server.pem", encrypted),
        ("anyone", "other.example", "sslmode=verify-full&sslrootcert=DIR/server.pem", Err("not valid for name")),
        ("anyone", "db.example", "sslmode=verify-full&sslrootcert=DIR/client.pem", Err("UnknownIssuer")),
        // Authority and host name are verified.
        ("anyone", "db.example", &format!("sslmode=verify-full&{ca}"), encrypted),
        ("anyone", "other.example", &format!("sslmode=verify-full&{ca}"), Err("not valid for name")),
        ("anyone", "127.0.0.1", &format!("sslmode=verify-full&{ca}"), Err("not valid for name")),
        ("anyone", "db.example", "sslmode=verify-full&sslrootcert=DIR/other-ca.pem", Err("UnknownIssuer")),
        ("anyone", "db.example", "sslmode=verify-full&sslrootcert=DIR/nowhere.pem", Err("sslrootcert cannot be used")),
        // Client certificates.
        ("certified", "db.example", &format!("sslmode=verify-full&{ca}"), Err("client certificate")),
        (
            "certified",
            "db.example",
            &format!("sslmode=verify-full&{ca}&sslcert=DIR/client.pem&sslkey=DIR/client.key"),
            encrypted,
        ),
        (
            "certified",
            "db.example",
            &format!("sslmode=verify-full&{ca}&sslcert=DIR/somebody.pem&sslkey=DIR/somebody.key"),
            Err("certificate authentication failed"),
        ),
        (
            "certified",
            "db.example",
            &format!("sslmode=verify-full&{ca}&sslcert=DIR/client.pem&sslkey=DIR/somebody.key"),
            Err("sslkey cannot be used"),
        ),
    ] {
        let url = server.url(user, host, parameters);
        match (connect(&url, Credentials::default()).await, expect) {
            (Ok(is_encrypted), Ok(expect)) => assert_eq!(is_encrypted, expect, "{url}"),
            (Err(why), Err(word)) => assert!(why.contains(word), "{url}: {why}"),
            (found, _) => panic!("{url}: {found:?}"),
        }
    }
    // With TLS 1.3 the server rejects a certificate after the handshake, with an alert.
    let parameters = format!("sslmode=verify-full&{ca}&sslcert=DIR/foreign.pem&sslkey=DIR/foreign.key");
    let url = server.url("certified", HOST, &parameters);
    assert!(Db::postgres(&url, PostgresOptions::default()).await.is_err(), "{url}");

    // A private key that other users may read.
    let key = server.file("client.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644))?;
    let parameters = format!("sslmode=verify-full&{ca}&sslcert=DIR/client.pem&sslkey=DIR/client.key");
    let why = connect(&server.url("certified", HOST, &parameters), Credentials::default()).await.unwrap_err();
    assert!(why.contains("chmod 600") && why.contains(&key.display().to_string()), "{why}");

    passwords(&server).await
}

/// A user with a password from outside the address.
async fn passwords(server: &Server) -> Result<(), AnyError> {
    let url = server.url("muriel", HOST, "sslmode=verify-full&sslrootcert=DIR/ca.pem");
    let with = |password: Option<&str>, passfile: Option<&Path>| Credentials {
        password: password.map(str::to_owned),
        passfile: passfile.map(Path::to_owned),
    };
    assert_eq!(connect(&url, with(Some(PASSWORD), None)).await, Ok(true));
    let why = connect(&url, with(Some("wrong"), None)).await.expect_err("no connection");
    assert!(why.contains("password authentication failed for user \"muriel\"") && !why.contains("wrong"), "{why}");
    let why = connect(&url, Credentials::default()).await.expect_err("no connection");
    assert!(why.contains("password missing"), "{why}");

    let passfile = server.file("pgpass");
    let escaped = PASSWORD.replace('\\', "\\\\").replace(':', "\\:");
    fs::write(&passfile, format!("{HOST}:{}:*:muriel:{escaped}\n", server.port))?;
    fs::set_permissions(&passfile, fs::Permissions::from_mode(0o600))?;
    assert_eq!(connect(&url, with(None, Some(&passfile))).await, Ok(true));
    fs::set_permissions(&passfile, fs::Permissions::from_mode(0o644))?;
    assert!(connect(&url, with(None, Some(&passfile))).await.expect_err("no connection").contains("password missing"));
    Ok(())
}
