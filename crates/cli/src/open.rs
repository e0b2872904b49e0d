//! Opens what commands need: the database and its pepper.

use crate::config::StorageSettings;
use crate::node::check_database;
use crate::{Error, Result};
use muriel_context::api_key::Pepper;
use muriel_context::clock::Clock;
use muriel_service::{App, Traffic};
use muriel_sql::{Db, SqliteOptions};
use muriel_store::settings;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Database with an up-to-date schema, and its pepper.
pub struct Opened {
    /// Database.
    pub db: Db,
    /// Pepper with which keys are created and checked.
    pub pepper: Pepper,
}

impl Opened {
    /// State for calling the service, at this clock's time. It does not deliver to visitors
    /// or receive events.
    pub fn app(&self, clock: Clock) -> App {
        App::new(self.db.clone(), self.pepper.clone(), clock, Traffic::default())
    }
}

/// Opens the database, which is created if missing, and the pepper.
///
/// # Errors
/// A directory or database that cannot be used, a newer schema, and a pepper that is missing
/// or does not match.
pub async fn open(place: &StorageSettings) -> Result<Opened> {
    check_database(place)?;
    make_directory(&place.data_dir)?;
    let db = connect(place)?;
    db.ping().await?;
    let pepper = prepare(&db, place).await?;
    Ok(Opened { db, pepper })
}

/// Opens the database, without connecting to PostgreSQL yet.
///
/// # Errors
/// An invalid address, and a file that cannot be used.
pub(crate) fn connect(place: &StorageSettings) -> Result<Db> {
    check_database(place)?;
    match &place.database_url {
        Some(url) if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) => {
            Err(Error::Setting("database-url must begin with postgres:// or postgresql://".to_owned()))
        }
        Some(url) => Ok(Db::postgres_later(url, place.postgres.clone())?),
        None => Ok(Db::sqlite(&place.data_dir.join("muriel.db"), SqliteOptions::default())?),
    }
}

/// Like [`connect`], but a file that cannot be opened now is retried on the first use.
///
/// # Errors
/// An invalid address.
pub(crate) fn connect_later(place: &StorageSettings) -> Result<Db> {
    if place.database_url.is_some() {
        return connect(place);
    }
    check_database(place)?;
    Ok(Db::sqlite_later(&place.data_dir.join("muriel.db"), SqliteOptions::default()))
}

/// Migrates the schema, and returns the pepper of the database.
///
/// # Errors
/// A newer schema, a pepper that is missing or does not match, and a database that cannot be
/// reached.
pub(crate) async fn prepare(db: &Db, place: &StorageSettings) -> Result<Pepper> {
    muriel_store::migrate(db).await?;
    pepper(db, &place.pepper_file).await
}

/// Reads the pepper from its file, without comparing it with the database.
///
/// # Errors
/// A file that is missing, cannot be read or is too short.
pub(crate) fn read_pepper(path: &Path) -> Result<Pepper> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Error::NoPepper(path.to_owned())),
        Err(source) => {
            return Err(Error::File { doing: "cannot read the pepper in", path: path.to_owned(), source });
        }
    };
    let text = text.trim();
    if text.len() < 32 {
        return Err(Error::Setting(format!("the pepper in {} is shorter than 32 characters", path.display())));
    }
    Ok(Pepper::new(text.as_bytes()))
}

/// Creates the data directory, for its owner only, unless it exists.
pub(crate) fn make_directory(path: &Path) -> Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|source| Error::File {
        doing: "cannot create the data directory",
        path: path.to_owned(),
        source,
    })
}

/// Opens an existing database, for commands that need existing data.
///
/// # Errors
/// As [`open`], and when there is no data.
pub async fn open_existing(place: &StorageSettings) -> Result<Opened> {
    check_database(place)?;
    if place.database_url.is_none() && !place.data_dir.join("muriel.db").exists() {
        let here = std::path::absolute(&place.data_dir).unwrap_or_else(|_| place.data_dir.clone());
        let message = format!("there is no Muriel data in {}; name its directory with --data-dir", here.display());
        return Err(Error::Refused(message));
    }
    open(place).await
}

const FINGERPRINT: &str = "pepper_fingerprint";

/// Reads the pepper from its file. It is created with a new database. A database that already
/// has a pepper accepts no other.
async fn pepper(db: &Db, path: &Path) -> Result<Pepper> {
    let known = db.read::<_, Error, _>(|tx| Box::pin(async move { Ok(settings::get(tx, FINGERPRINT).await?) })).await?;
    if known.is_none() {
        make(path)?;
    }
    let pepper = read_pepper(path)?;
    let fingerprint = pepper.fingerprint();
    let mine = fingerprint.clone();
    let known = db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move { Ok(settings::get_or_set(tx, FINGERPRINT, &mine).await?) })
        })
        .await?;
    if known == fingerprint { Ok(pepper) } else { Err(Error::ForeignPepper(path.to_owned())) }
}

/// Creates a pepper, readable by its owner only, unless there is one.
fn make(path: &Path) -> Result<()> {
    let failed = |source| Error::File { doing: "cannot create the pepper in", path: path.to_owned(), source };
    let text = muriel_context::api_key::random_text(64)?;
    // Written to a temporary file and linked, so that nobody reads a partial file.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = directory.join(format!(".pepper-{}", std::process::id()));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside).map_err(failed)?;
    let written = writeln!(file, "{text}").and_then(|()| file.sync_all());
    let linked = written.and_then(|()| match fs::hard_link(&beside, path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    });
    let _ = fs::remove_file(&beside);
    linked.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_data_directory_is_its_owners() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("made/here");
        make_directory(&path).unwrap();
        make_directory(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
