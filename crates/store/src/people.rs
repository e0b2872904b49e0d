//! People: their names, their access, and how they sign in.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::codec::{id_places, places};
use crate::table::table;
use muriel_domain::Instant;
use muriel_domain::ids::{CompanyId, PersonId, ProjectId};
use muriel_domain::person::{Access, Role};
use muriel_sql::{Row, Tx, params};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A person who can sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Unique in the database.
    pub id: PersonId,
    /// The company whose projects they see.
    pub company_id: CompanyId,
    /// E-mail address in lower case; unique among people who were not removed.
    pub email: String,
    /// Display name.
    pub name: String,
    /// Role, and the projects that the person is limited to.
    pub access: Access,
    /// Hash of the password in the PHC format; `None` for a person who signs in without one.
    pub password: Option<String>,
    /// Encrypted secret of the authenticator app; `None` without one.
    pub totp: Option<Vec<u8>>,
    /// Number of the last 30-second step whose code was used.
    pub totp_step: i64,
    /// An encrypted secret that waits for its first code.
    pub totp_pending: Option<Vec<u8>>,
    /// Issuer and subject at the OpenID provider, once the person has signed in through one.
    pub oidc: Option<(String, String)>,
    /// Time of joining.
    pub created_at: Instant,
    /// Time of the last activity, to the minute.
    pub last_seen_at: Option<Instant>,
}

/// A person who joins a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPerson {
    /// Company to join.
    pub company_id: CompanyId,
    /// E-mail address, in lower case.
    pub email: String,
    /// Display name.
    pub name: String,
    /// Role, and the projects that the person is limited to.
    pub access: Access,
    /// Hash of the password in the PHC format; `None` for a person who signs in without one.
    pub password: Option<String>,
    /// Issuer and subject at the OpenID provider.
    pub oidc: Option<(String, String)>,
}

table! {
    /// A person without the projects that they are limited to.
    struct PersonRow of "person" {
        generated { person_id: i64 }
        key {}
        fixed {
            company_id: i64,
            created_at: Instant,
            totp_step: i64,
            last_seen_at: Option<Instant>,
        }
        changing {
            email: String,
            name: String,
            role: Role,
            limited: bool,
            password: Option<String>,
            totp: Option<Vec<u8>>,
            totp_pending: Option<Vec<u8>>,
            oidc_issuer: Option<String>,
            oidc_subject: Option<String>,
        }
    }
}

fn select(rest: &str) -> String {
    format!("SELECT {} FROM person p {rest}", PersonRow::columns("p"))
}

/// Prefix of people's ids in history, which tells them apart from ids of keys.
const REFERENCE: &str = "person:";

/// Reference to a person in history.
pub fn reference(id: PersonId) -> String {
    format!("{REFERENCE}{id}")
}

/// The person of a reference in history; `None` for other actors.
pub fn of_reference(actor: &str) -> Option<PersonId> {
    PersonId::parse(actor.strip_prefix(REFERENCE)?)
}

/// A person who sees a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Person id.
    pub id: PersonId,
    /// Display name.
    pub name: String,
    /// Role in the project.
    pub role: Role,
}

/// SQL condition that the person `p` sees the project with this id, which belongs to the person's company.
pub(crate) fn sees(project: &str) -> String {
    format!(
        "p.deleted_at IS NULL AND (p.limited = 0 OR EXISTS (SELECT 1 FROM person_project pp \
         WHERE pp.person_id = p.person_id AND pp.project_id = {project}))"
    )
}

/// The people who see a project, oldest first.
pub async fn members(tx: &mut dyn Tx, project: ProjectId) -> Result<Vec<Member>> {
    let sql = "SELECT p.person_id, p.name, CASE WHEN p.limited = 0 THEN p.role ELSE pp.role END AS role FROM project pr \
               JOIN person p ON p.company_id = pr.company_id AND p.deleted_at IS NULL \
               LEFT JOIN person_project pp ON pp.person_id = p.person_id AND pp.project_id = pr.project_id \
               WHERE pr.project_id = $1 AND (p.limited = 0 OR pp.role IS NOT NULL) ORDER BY p.person_id";
    let rows = tx.query(sql, params![project.0]).await?;
    rows.into_iter()
        .map(|mut row| {
            let id = PersonId(row.int("person_id")?);
            let key = crate::table::RowId { table: "person", key: &[&id] };
            Ok(Member { id, name: row.text("name")?, role: crate::table::read(&mut row, "role", key)? })
        })
        .collect()
}

async fn read(tx: &mut dyn Tx, mut row: Row) -> Result<Person> {
    let row = PersonRow::try_from(&mut row)?;
    let id = PersonId(row.person_id);
    let projects = if row.limited { Some(projects(tx, id).await?) } else { None };
    Ok(Person {
        id,
        company_id: CompanyId(row.company_id),
        email: row.email,
        name: row.name,
        access: Access { role: row.role, projects },
        password: row.password,
        totp: row.totp,
        totp_step: row.totp_step,
        totp_pending: row.totp_pending,
        oidc: row.oidc_issuer.zip(row.oidc_subject),
        created_at: row.created_at,
        last_seen_at: row.last_seen_at,
    })
}

async fn projects(tx: &mut dyn Tx, id: PersonId) -> Result<Vec<(ProjectId, Role)>> {
    let sql = "SELECT project_id, role FROM person_project WHERE person_id = $1 ORDER BY project_id";
    let rows = tx.query(sql, params![id.0]).await?;
    rows.into_iter()
        .map(|mut row| {
            let key = crate::table::RowId { table: "person_project", key: &[&id] };
            Ok((ProjectId(row.int("project_id")?), crate::table::read(&mut row, "role", key)?))
        })
        .collect()
}

async fn one(tx: &mut dyn Tx, sql: &str, params: Vec<muriel_sql::Value>) -> Result<Option<Person>> {
    match tx.query_opt(sql, params).await? {
        Some(row) => Ok(Some(read(tx, row).await?)),
        None => Ok(None),
    }
}

/// The person with this id, unless they were removed.
pub async fn find(tx: &mut dyn Tx, id: PersonId) -> Result<Option<Person>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("WHERE p.person_id = $1 AND p.deleted_at IS NULL"));
    one(tx, &STATEMENT, params![id.0]).await
}

/// The person who signs in with this address, which is in lower case.
pub async fn by_email(tx: &mut dyn Tx, email: &str) -> Result<Option<Person>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("WHERE p.email = $1 AND p.deleted_at IS NULL"));
    one(tx, &STATEMENT, params![email]).await
}

/// The person with this issuer and subject at an OpenID provider.
pub async fn by_oidc(tx: &mut dyn Tx, issuer: &str, subject: &str) -> Result<Option<Person>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        select("WHERE p.oidc_issuer = $1 AND p.oidc_subject = $2 AND p.deleted_at IS NULL ORDER BY p.person_id")
    });
    one(tx, &STATEMENT, params![issuer, subject]).await
}

/// The people of a company, oldest first.
pub async fn list(tx: &mut dyn Tx, company: CompanyId) -> Result<Vec<Person>> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| select("WHERE p.company_id = $1 AND p.deleted_at IS NULL ORDER BY p.person_id"));
    let rows = tx.query(&STATEMENT, params![company.0]).await?;
    let mut people = Vec::with_capacity(rows.len());
    for row in rows {
        people.push(read(tx, row).await?);
    }
    Ok(people)
}

/// Names of these people, also of removed ones.
pub async fn names(tx: &mut dyn Tx, ids: &[PersonId]) -> Result<HashMap<PersonId, String>> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| format!("SELECT person_id, name FROM person WHERE person_id IN ({})", places()));
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let mut names = HashMap::with_capacity(ids.len());
    let mut left = &ids[..];
    while !left.is_empty() {
        let (values, later) = id_places(left);
        left = later;
        for mut row in tx.query(&STATEMENT, values).await? {
            names.insert(PersonId(row.int("person_id")?), row.text("name")?);
        }
    }
    Ok(names)
}

/// Returns whether anybody can sign in. Removed people do not count.
pub async fn any(tx: &mut dyn Tx) -> Result<bool> {
    Ok(tx.query_opt("SELECT 1 FROM person WHERE deleted_at IS NULL LIMIT 1", params![]).await?.is_some())
}

/// Number of people of a company.
pub async fn count(tx: &mut dyn Tx, company: CompanyId) -> Result<i64> {
    let sql = "SELECT COUNT(*) AS n FROM person WHERE company_id = $1 AND deleted_at IS NULL";
    Ok(tx.query_one(sql, params![company.0]).await?.int("n")?)
}

/// Number of owners of a company.
pub async fn owners(tx: &mut dyn Tx, company: CompanyId) -> Result<i64> {
    let sql = "SELECT COUNT(*) AS n FROM person WHERE company_id = $1 AND role = 'owner' AND deleted_at IS NULL";
    Ok(tx.query_one(sql, params![company.0]).await?.int("n")?)
}

/// Stores a new person.
///
/// # Errors
/// `person_email_key` when somebody has the address.
pub async fn insert(tx: &mut dyn Tx, new: &NewPerson, now: Instant) -> Result<Person> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING person_id", PersonRow::insert_sql()));
    let mut person = Person {
        id: PersonId(0),
        company_id: new.company_id,
        email: new.email.clone(),
        name: new.name.clone(),
        access: new.access.clone(),
        password: new.password.clone(),
        totp: None,
        totp_step: 0,
        totp_pending: None,
        oidc: new.oidc.clone(),
        created_at: now,
        last_seen_at: None,
    };
    person.id = PersonId(tx.query_one(&STATEMENT, PersonRow::from(&person).insert_values()).await?.int("person_id")?);
    projects_set(tx, &person).await?;
    Ok(person)
}

impl From<&Person> for PersonRow {
    fn from(person: &Person) -> Self {
        let person = person.clone();
        let (oidc_issuer, oidc_subject) = person.oidc.unzip();
        Self {
            person_id: person.id.0,
            company_id: person.company_id.0,
            created_at: person.created_at,
            totp_step: person.totp_step,
            last_seen_at: person.last_seen_at,
            email: person.email,
            name: person.name,
            role: person.access.role,
            limited: person.access.projects.is_some(),
            password: person.password,
            totp: person.totp,
            totp_pending: person.totp_pending,
            oidc_issuer,
            oidc_subject,
        }
    }
}

/// Stores a changed person, except the authenticator's step, which [`totp_use`] stores.
///
/// # Errors
/// `person_email_key` when somebody else has the address.
pub async fn update(tx: &mut dyn Tx, person: &Person) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!("UPDATE person SET {} WHERE person_id = ${}", PersonRow::assignments(), PersonRow::next_place())
    });
    let mut values = PersonRow::from(person).changing_values();
    values.extend(params![person.id.0]);
    tx.execute(&STATEMENT, values).await?;
    tx.execute("DELETE FROM person_project WHERE person_id = $1", params![person.id.0]).await?;
    projects_set(tx, person).await
}

async fn projects_set(tx: &mut dyn Tx, person: &Person) -> Result<()> {
    for (project, role) in person.access.projects.iter().flatten() {
        tx.execute(
            "INSERT INTO person_project (person_id, project_id, role) VALUES ($1, $2, $3)",
            params![person.id.0, project.0, role.word()],
        )
        .await?;
    }
    Ok(())
}

/// Removes a person from everything but history: the row stays with the name, and everything for signing in is deleted.
/// Address, issuer and subject stay too, for [`was_removed`].
pub async fn remove(tx: &mut dyn Tx, id: PersonId, now: Instant) -> Result<()> {
    for sql in [
        "DELETE FROM session WHERE person_id = $1",
        "DELETE FROM recovery_code WHERE person_id = $1",
        "DELETE FROM passkey WHERE person_id = $1",
        "DELETE FROM person_project WHERE person_id = $1",
        "DELETE FROM invitation WHERE person_id = $1",
        "DELETE FROM watch WHERE person_id = $1",
        "DELETE FROM inbox_entry WHERE person_id = $1",
    ] {
        tx.execute(sql, params![id.0]).await?;
    }
    tx.execute(
        "UPDATE person SET deleted_at = $2, password = NULL, totp = NULL, totp_pending = NULL WHERE person_id = $1",
        params![id.0, now.us()],
    )
    .await?;
    Ok(())
}

/// Returns whether a person with this address, or this issuer and subject, was removed from the company.
pub async fn was_removed(
    tx: &mut dyn Tx,
    company: CompanyId,
    email: &str,
    (issuer, subject): (&str, &str),
) -> Result<bool> {
    let sql = "SELECT 1 AS one FROM person WHERE company_id = $1 AND deleted_at IS NOT NULL \
               AND (email = $2 OR (oidc_issuer = $3 AND oidc_subject = $4)) LIMIT 1";
    Ok(tx.query_opt(sql, params![company.0, email, issuer, subject]).await?.is_some())
}

/// Records that the code of this step was used. Returns false when this or a later step was used before: a code works
/// once, even for two requests at the same time.
pub async fn totp_use(tx: &mut dyn Tx, id: PersonId, step: i64) -> Result<bool> {
    let sql = "UPDATE person SET totp_step = $2 WHERE person_id = $1 AND totp_step < $2";
    Ok(tx.execute(sql, params![id.0, step]).await? == 1)
}

/// Replaces the recovery codes of a person, which are stored as MACs.
pub async fn recovery_codes_set(tx: &mut dyn Tx, id: PersonId, macs: &[[u8; 32]]) -> Result<()> {
    tx.execute("DELETE FROM recovery_code WHERE person_id = $1", params![id.0]).await?;
    for mac in macs {
        tx.execute("INSERT INTO recovery_code (person_id, mac) VALUES ($1, $2)", params![id.0, mac.to_vec()]).await?;
    }
    Ok(())
}

/// Uses up a recovery code. Returns whether it existed.
pub async fn recovery_code_use(tx: &mut dyn Tx, id: PersonId, mac: &[u8; 32]) -> Result<bool> {
    let sql = "DELETE FROM recovery_code WHERE person_id = $1 AND mac = $2";
    Ok(tx.execute(sql, params![id.0, mac.to_vec()]).await? == 1)
}
