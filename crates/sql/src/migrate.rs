//! Migrates a schema to the version that the program needs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{BoxFuture, Db, Error, Lock, LockName, Result, Tx, params};

/// One forward-only step of the schema.
///
/// Its SQL is written once, `CREATE TABLE t (id {id}, n {int} NOT NULL) {strict};`,
/// with these words replaced:
///
/// | word | SQLite | PostgreSQL |
/// |---|---|---|
/// | `{id}` | `INTEGER PRIMARY KEY AUTOINCREMENT` | `BIGINT` identity, primary key |
/// | `{int}` | `INTEGER` | `BIGINT` |
/// | `{real}` | `REAL` | `DOUBLE PRECISION` |
/// | `{blob}` | `BLOB` | `BYTEA` |
/// | `{text}` | `TEXT` | `TEXT COLLATE "C"`, which sorts as SQLite does |
/// | `{strict}` | `STRICT` | |
///
/// A released migration must not change: its checksum is stored with the data.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Version number, from 1, in the order of application.
    pub version: i64,
    /// Descriptive name, such as `create experiments`.
    pub name: &'static str,
    /// Any number of SQL statements.
    pub sql: &'static str,
    /// Runs after the statements in the same transaction, to fill new columns in ways that SQL cannot express. It is
    /// not part of the checksum; a rewritten version must have the same result.
    pub fill: Option<Fill>,
}

/// Fills new columns; see [`Migration::fill`].
pub type Fill = for<'t> fn(&'t mut dyn Tx) -> BoxFuture<'t, Result<()>>;

/// Timeout of one migration, including the wait for other migrating processes. Building an index of a large table, or
/// filling its new columns, exceeds the limit of other transactions.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(3_600);

const CREATE_TABLE: &str = "
    -- Which migrations this database has had.
    CREATE TABLE schema_migration (
        version {int} NOT NULL PRIMARY KEY,
        name {text} NOT NULL,
        -- Of the text as written, so that it is the same on both databases.
        checksum {text} NOT NULL,
        -- UTC microseconds.
        applied_at {int} NOT NULL
    ) {strict};
";

/// Row of `schema_migration` for an applied migration.
struct AppliedMigration {
    version: i64,
    checksum: String,
}

/// Applies the missing migrations, each in its own transaction.
pub(crate) async fn run(db: &Db, migrations: &[Migration]) -> Result<()> {
    for next in pending(db, migrations).await? {
        let all = migrations.to_vec();
        let apply_next = db.write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                tx.batch(tx.dialect().before_migration()).await?;
                tx.lock(Lock::Exclusive(LockName::MIGRATION)).await?;
                tx.batch(tx.dialect().within_migration()).await?;
                // Another process may have applied it meanwhile.
                let applied = applied(tx).await?;
                match missing(&applied, &all)?.first() {
                    Some(first) if first.version == next.version => {
                        apply(tx, next).await.map_err(|source| named(next, source))
                    }
                    _ => Ok(()),
                }
            })
        });
        crate::within(MIGRATION_TIMEOUT, apply_next).await?;
    }
    Ok(())
}

/// Migrations that [`run`] would apply. Only reads, because a server's account may not be allowed to change the schema.
pub(crate) async fn pending(db: &Db, migrations: &[Migration]) -> Result<Vec<Migration>> {
    check_order(migrations)?;
    let all = migrations.to_vec();
    db.read(move |tx| Box::pin(async move { Ok(missing(&applied(tx).await?, &all)?.to_vec()) })).await
}

async fn applied(tx: &mut dyn Tx) -> Result<Vec<AppliedMigration>> {
    let exists = tx.dialect().table_exists();
    if tx.query_one(exists, params!["schema_migration"]).await?.int(0)? == 0 {
        return Ok(Vec::new());
    }
    let rows = tx.query("SELECT version, checksum FROM schema_migration ORDER BY version", params![]).await?;
    rows.into_iter()
        .map(|mut row| Ok(AppliedMigration { version: row.int("version")?, checksum: row.text("checksum")? }))
        .collect()
}

async fn apply(tx: &mut dyn Tx, migration: Migration) -> Result<()> {
    let dialect = tx.dialect();
    let count = tx.query_one(dialect.table_exists(), params!["schema_migration"]).await?.int(0)?;
    if count == 0 {
        tx.batch(&dialect.expand(CREATE_TABLE)?).await?;
    }
    tx.batch(&dialect.expand(migration.sql)?).await?;
    if let Some(fill) = migration.fill {
        fill(tx).await?;
    }
    tx.execute(
        "INSERT INTO schema_migration (version, name, checksum, applied_at)
         VALUES ($1, $2, $3, $4)",
        params![migration.version, migration.name, checksum(migration.sql), now_us()],
    )
    .await?;
    tracing::info!(migration.version, migration.name, "a migration has been applied");
    Ok(())
}

/// Names the migration that failed; the source has the cause.
#[derive(Debug, thiserror::Error)]
#[error("migration {version} ({name}) failed")]
struct MigrationFailed {
    version: i64,
    name: &'static str,
    source: Error,
}

fn named(migration: Migration, source: Error) -> Error {
    let unavailable = matches!(source, Error::Unavailable { .. });
    let failed = MigrationFailed { version: migration.version, name: migration.name, source };
    if unavailable { Error::unavailable(failed) } else { Error::unexpected(failed) }
}

fn check_order(migrations: &[Migration]) -> Result<()> {
    for pair in migrations.windows(2) {
        if pair[0].version >= pair[1].version {
            return Err(Error::Migration(format!(
                "migration {} is listed before migration {}",
                pair[0].version, pair[1].version
            )));
        }
    }
    Ok(())
}

/// Returns the migrations not yet applied, in order. The applied ones must be identical to the first ones of the list.
///
/// # Errors
/// [`Error::Migration`] when they are not.
fn missing<'a>(applied: &[AppliedMigration], migrations: &'a [Migration]) -> Result<&'a [Migration]> {
    let newest = migrations.last().map_or(0, |migration| migration.version);
    for (i, applied) in applied.iter().enumerate() {
        let version = applied.version;
        if version > newest {
            return Err(Error::Migration(format!(
                "the database has had migration {version}, but this program knows \
                 migrations up to {newest}: run a newer program"
            )));
        }
        let ours = &migrations[i.min(migrations.len() - 1)];
        if ours.version < version {
            return Err(Error::Migration(format!(
                "migration {} ({}) is missing from the database, which has had the later \
                 migration {version}",
                ours.version, ours.name
            )));
        }
        if ours.version > version {
            return Err(Error::Migration(format!(
                "the database has had migration {version}, which this program does not know"
            )));
        }
        if ours.checksum() != applied.checksum {
            return Err(Error::Migration(format!(
                "migration {version} ({}) has been changed since it was applied to the database",
                ours.name
            )));
        }
    }
    Ok(&migrations[applied.len()..])
}

impl Migration {
    fn checksum(&self) -> String {
        checksum(self.sql)
    }
}

/// FNV-1a hash, 64 bits, as 16 hexadecimal digits: enough to detect an edit.
fn checksum(sql: &str) -> String {
    let hash = sql
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_micros() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_the_database_must_fit() {
        let migration = |version| Migration { version, name: "a step", sql: "SELECT 1", fill: None };
        let check = |applied: &[i64], known: &[i64], expect: std::result::Result<&[i64], &str>| {
            let applied: Vec<AppliedMigration> =
                applied.iter().map(|&version| AppliedMigration { version, checksum: checksum("SELECT 1") }).collect();
            let known: Vec<Migration> = known.iter().map(|&v| migration(v)).collect();
            let found = missing(&applied, &known)
                .map(|left| left.iter().map(|m| m.version).collect::<Vec<_>>())
                .map_err(|e| e.to_string());
            match (found, expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect),
                (Err(found), Err(expect)) => assert!(found.contains(expect), "{found}"),
                (found, expect) => panic!("{found:?} is not {expect:?}"),
            }
        };
        check(&[], &[], Ok(&[]));
        check(&[], &[1, 2], Ok(&[1, 2]));
        check(&[1], &[1, 2], Ok(&[2]));
        check(&[1, 2], &[1, 2], Ok(&[]));
        check(&[1, 2], &[1], Err("run a newer program"));
        check(&[1], &[], Err("run a newer program"));
        check(&[2], &[1, 2], Err("migration 1 (a step) is missing"));
        check(&[1, 2, 3], &[1, 3], Err("does not know"));
    }

    #[test]
    fn checksums_are_those_of_the_algorithm() {
        // Test vectors of FNV's authors.
        assert_eq!(checksum(""), "cbf29ce484222325");
        assert_eq!(checksum("foobar"), "85944171f73967e8");
    }
}
