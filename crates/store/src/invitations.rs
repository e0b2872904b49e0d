//! Links with which people join a company or get a new password. Each works once.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::codec::to_json;
use crate::table::{Json, RowId, table};
use muriel_domain::Instant;
use muriel_domain::ids::{CompanyId, InvitationId, PersonId, ProjectId};
use muriel_domain::person::{Access, Role};
use muriel_sql::{Row, Tx, params};
use std::sync::LazyLock;

/// Maximum number of open invitations of a company.
pub const INVITATIONS_MAX: i64 = 1_000;

/// Purpose of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Creates the first owner.
    FirstOwner,
    /// Creates a person.
    Invitation,
    /// Gives a person a new password.
    Reset,
}

impl Purpose {
    /// Words of the purposes.
    pub const WORDS: [(&'static str, Purpose); 3] =
        [("first_owner", Purpose::FirstOwner), ("invitation", Purpose::Invitation), ("reset", Purpose::Reset)];

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        match self {
            Purpose::FirstOwner => "first_owner",
            Purpose::Invitation => "invitation",
            Purpose::Reset => "reset",
        }
    }
}

/// A link that was issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Unique in the database.
    pub id: InvitationId,
    /// Purpose of the link.
    pub purpose: Purpose,
    /// Company to join; `None` when the first owner chooses its name.
    pub company_id: Option<CompanyId>,
    /// Person who gets a new password.
    pub person: Option<PersonId>,
    /// Address of the invited person; `None` when the first owner chooses it.
    pub email: Option<String>,
    /// Access that the person will have.
    pub access: Access,
    /// Name of the inviter.
    pub invited_by: String,
    /// The person who invited, or who made the key that did; `None` for the operator, and where it was not stored.
    pub inviter: Option<PersonId>,
    /// Time of creation.
    pub created_at: Instant,
    /// Time from which on it cannot be used.
    pub expires_at: Instant,
}

table! {
    struct InvitationRow of "invitation" {
        generated { invitation_id: i64 }
        key {}
        fixed {
            mac: Vec<u8>,
            purpose: String,
            company_id: Option<i64>,
            person_id: Option<i64>,
            email: Option<String>,
            role: Role,
            projects: Option<Json<Vec<(ProjectId, Role)>>>,
            invited_by: String,
            inviter_id: Option<i64>,
            created_at: Instant,
            expires_at: Instant,
        }
        changing {}
    }
}

fn invitation(mut row: Row) -> Result<Invitation> {
    let row = InvitationRow::try_from(&mut row)?;
    let found = Purpose::WORDS.iter().find(|(word, _)| *word == row.purpose).map(|(_, purpose)| *purpose);
    let id = row.invitation_id;
    let purpose = found.ok_or_else(|| RowId { table: "invitation", key: &[&id] }.damaged("purpose", "a known word"))?;
    Ok(Invitation {
        id: InvitationId(row.invitation_id),
        purpose,
        company_id: row.company_id.map(CompanyId),
        person: row.person_id.map(PersonId),
        email: row.email,
        access: Access { role: row.role, projects: row.projects.map(|projects| projects.0) },
        invited_by: row.invited_by,
        inviter: row.inviter_id.map(PersonId),
        created_at: row.created_at,
        expires_at: row.expires_at,
    })
}

/// Stores an invitation under the MAC of its token and returns its new id. An earlier invitation for the same purpose
/// and the same address or person in the company is withdrawn.
pub async fn insert(tx: &mut dyn Tx, new: &Invitation, mac: &[u8; 32]) -> Result<InvitationId> {
    tx.execute(
        "DELETE FROM invitation WHERE purpose = $1 AND company_id = $2 AND (email = $3 OR person_id = $4)",
        params![new.purpose.word(), new.company_id.map(|id| id.0), new.email.clone(), new.person.map(|id| id.0)],
    )
    .await?;
    let sql = "INSERT INTO invitation (mac, purpose, company_id, person_id, email, role, projects, invited_by, \
               inviter_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
               RETURNING invitation_id";
    let row = tx
        .query_one(
            sql,
            params![
                mac.to_vec(),
                new.purpose.word(),
                new.company_id.map(|id| id.0),
                new.person.map(|id| id.0),
                new.email.clone(),
                new.access.role.word(),
                new.access.projects.as_ref().map(to_json),
                new.invited_by.as_str(),
                new.inviter.map(|id| id.0),
                new.created_at.us(),
                new.expires_at.us()
            ],
        )
        .await?;
    Ok(InvitationId(row.int("invitation_id")?))
}

/// The invitation whose token has this MAC, expired or not.
pub async fn find(tx: &mut dyn Tx, mac: &[u8; 32]) -> Result<Option<Invitation>> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| format!("SELECT {} FROM invitation i WHERE i.mac = $1", InvitationRow::columns("i")));
    tx.query_opt(&STATEMENT, params![mac.to_vec()]).await?.map(invitation).transpose()
}

/// The open invitations of a company, oldest first; links for new passwords are not among them.
pub async fn list(tx: &mut dyn Tx, company: CompanyId, now: Instant) -> Result<Vec<Invitation>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {} FROM invitation i WHERE i.company_id = $1 AND i.purpose = 'invitation' AND i.expires_at > $2 \
             ORDER BY i.invitation_id",
            InvitationRow::columns("i")
        )
    });
    tx.query(&STATEMENT, params![company.0, now.us()]).await?.into_iter().map(invitation).collect()
}

/// Uses up or withdraws an invitation. Returns false when it was gone: of two simultaneous uses, only one succeeds.
pub async fn take(tx: &mut dyn Tx, id: InvitationId) -> Result<bool> {
    Ok(tx.execute("DELETE FROM invitation WHERE invitation_id = $1", params![id.0]).await? == 1)
}

/// The open invitation of a company with this id.
pub async fn find_of(tx: &mut dyn Tx, company: CompanyId, id: InvitationId) -> Result<Option<Invitation>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {} FROM invitation i WHERE i.company_id = $1 AND i.invitation_id = $2 AND i.purpose = 'invitation'",
            InvitationRow::columns("i")
        )
    });
    tx.query_opt(&STATEMENT, params![company.0, id.0]).await?.map(invitation).transpose()
}

/// Withdraws all links for the first owner. Used once there is an owner.
pub async fn withdraw_first(tx: &mut dyn Tx) -> Result<()> {
    tx.execute("DELETE FROM invitation WHERE purpose = 'first_owner'", params![]).await?;
    Ok(())
}

/// Withdraws all links that give a person a new password. Returns the number of those that had not expired.
pub async fn withdraw_resets(tx: &mut dyn Tx, person: PersonId, now: Instant) -> Result<u64> {
    let open = tx
        .execute(
            "DELETE FROM invitation WHERE purpose = 'reset' AND person_id = $1 AND expires_at > $2",
            params![person.0, now.us()],
        )
        .await?;
    tx.execute("DELETE FROM invitation WHERE purpose = 'reset' AND person_id = $1", params![person.0]).await?;
    Ok(open)
}

/// Withdraws the open invitations of a company that a person has made or that are for the person. Returns their number.
/// Invitations without the id of their inviter are matched by the inviter's name.
pub async fn withdraw_of(
    tx: &mut dyn Tx,
    company: CompanyId,
    (id, name, email): (PersonId, &str, &str),
    now: Instant,
) -> Result<u64> {
    let sql = "DELETE FROM invitation WHERE purpose = 'invitation' AND company_id = $1 AND expires_at > $2 \
               AND (inviter_id = $3 OR (inviter_id IS NULL AND invited_by = $4) OR email = $5)";
    Ok(tx.execute(sql, params![company.0, now.us(), id.0, name, email]).await?)
}

/// The open invitation of a company for this address, which is in lower case.
pub async fn open_for(tx: &mut dyn Tx, company: CompanyId, email: &str, now: Instant) -> Result<Option<Invitation>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {} FROM invitation i WHERE i.company_id = $1 AND i.purpose = 'invitation' AND i.email = $2 \
             AND i.expires_at > $3 ORDER BY i.invitation_id DESC LIMIT 1",
            InvitationRow::columns("i")
        )
    });
    tx.query_opt(&STATEMENT, params![company.0, email, now.us()]).await?.map(invitation).transpose()
}

/// Deletes invitations that have expired.
pub async fn purge(tx: &mut dyn Tx, now: Instant) -> Result<()> {
    tx.execute("DELETE FROM invitation WHERE expires_at <= $1", params![now.us()]).await?;
    Ok(())
}
