//! Changes of experiments that wait for a second person.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::table::table;
use muriel_domain::Instant;
use muriel_domain::ids::{ExperimentId, ProjectId, ProposalId};
use muriel_sql::{Row, Tx, params};
use std::sync::LazyLock;

/// State of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalState {
    /// Nobody has decided yet.
    Open,
    /// It was approved, and its change was made.
    Approved,
    /// It was rejected.
    Rejected,
    /// The author has withdrawn it.
    Withdrawn,
}

impl ProposalState {
    /// Words of the states.
    pub const WORDS: [(&'static str, ProposalState); 4] = [
        ("open", ProposalState::Open),
        ("approved", ProposalState::Approved),
        ("rejected", ProposalState::Rejected),
        ("withdrawn", ProposalState::Withdrawn),
    ];

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, state)| *state == self).map_or("", |(word, _)| word)
    }
}

/// A proposed change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Proposal id.
    pub id: ProposalId,
    /// Experiment to change.
    pub experiment: ExperimentId,
    /// Revision of the experiment for which it was made.
    pub base_revision: i64,
    /// Request body of the change, JSON.
    pub body: String,
    /// True when objects in the body are merged with the existing ones.
    pub merges: bool,
    /// Reason for the proposal.
    pub note: String,
    /// Time of the proposal.
    pub proposed_at: Instant,
    /// Author, in the form that history uses.
    pub proposed_by: String,
    /// State of the proposal.
    pub state: ProposalState,
    /// Time of the decision.
    pub decided_at: Option<Instant>,
    /// Actor who decided, in the form that history uses.
    pub decided_by: Option<String>,
    /// Reason for the decision.
    pub reason: String,
}

table! {
    /// A proposed change.
    struct ProposalRow of "proposal" {
        generated { proposal_id: i64 }
        key {}
        fixed {
            project_id: i64,
            experiment_id: i64,
            base_revision: i64,
            body: String,
            merges: bool,
            note: String,
            proposed_at: Instant,
            proposed_by: String,
        }
        changing {
            state: String,
            decided_at: Option<Instant>,
            decided_by: Option<String>,
            reason: String,
        }
    }
}

/// Stores a new proposal and returns its new id. The id in `proposal` is not used.
pub async fn insert(tx: &mut dyn Tx, project: ProjectId, proposal: Proposal) -> Result<ProposalId> {
    static STATEMENT: LazyLock<String> =
        LazyLock::new(|| format!("{} RETURNING proposal_id", ProposalRow::insert_sql()));
    let row = ProposalRow {
        proposal_id: 0,
        project_id: project.0,
        experiment_id: proposal.experiment.0,
        base_revision: proposal.base_revision,
        body: proposal.body,
        merges: proposal.merges,
        note: proposal.note,
        proposed_at: proposal.proposed_at,
        proposed_by: proposal.proposed_by,
        state: proposal.state.word().to_owned(),
        decided_at: proposal.decided_at,
        decided_by: proposal.decided_by,
        reason: proposal.reason,
    };
    Ok(ProposalId(tx.query_one(&STATEMENT, row.insert_values()).await?.int("proposal_id")?))
}

fn read(mut row: Row) -> Result<Proposal> {
    let row = ProposalRow::try_from(&mut row)?;
    let state = ProposalState::WORDS.iter().find(|(word, _)| *word == row.state).map(|(_, state)| *state);
    Ok(Proposal {
        id: ProposalId(row.proposal_id),
        state: state.ok_or_else(|| row.damaged("state", "a known word"))?,
        experiment: ExperimentId(row.experiment_id),
        base_revision: row.base_revision,
        body: row.body,
        merges: row.merges,
        note: row.note,
        proposed_at: row.proposed_at,
        proposed_by: row.proposed_by,
        decided_at: row.decided_at,
        decided_by: row.decided_by,
        reason: row.reason,
    })
}

/// A statement that selects the proposals `p` of experiments that are not deleted.
fn select(rest: &str) -> String {
    format!(
        "SELECT {} FROM proposal p JOIN experiment e ON e.experiment_id = p.experiment_id AND e.deleted_at IS NULL \
         WHERE p.project_id = $1 {rest}",
        ProposalRow::columns("p")
    )
}

/// The project's proposal with this id.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: ProposalId) -> Result<Option<Proposal>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| select("AND p.proposal_id = $2"));
    tx.query_opt(&STATEMENT, params![project.0, id.0]).await?.map(read).transpose()
}

/// The project's proposals with an id below `before`, newest first, at most `limit`: of one experiment and in one
/// state, if they are given.
pub async fn page(
    tx: &mut dyn Tx,
    project: ProjectId,
    experiment: Option<ExperimentId>,
    state: Option<ProposalState>,
    before: i64,
    limit: i64,
) -> Result<Vec<Proposal>> {
    static OF_PROJECT: LazyLock<String> = LazyLock::new(|| {
        select("AND p.proposal_id < $2 AND ($3 = '' OR p.state = $3) ORDER BY p.proposal_id DESC LIMIT $4")
    });
    static OF_EXPERIMENT: LazyLock<String> = LazyLock::new(|| {
        select(
            "AND p.proposal_id < $2 AND ($3 = '' OR p.state = $3) AND p.experiment_id = $5 \
             ORDER BY p.proposal_id DESC LIMIT $4",
        )
    });
    let state = state.map_or("", ProposalState::word);
    let rows = match experiment {
        None => tx.query(&OF_PROJECT, params![project.0, before, state, limit]).await?,
        Some(id) => tx.query(&OF_EXPERIMENT, params![project.0, before, state, limit, id.0]).await?,
    };
    rows.into_iter().map(read).collect()
}

/// Number of open proposals of the experiment.
pub async fn open_count(tx: &mut dyn Tx, experiment: ExperimentId) -> Result<i64> {
    let sql = "SELECT COUNT(*) AS open FROM proposal WHERE experiment_id = $1 AND state = 'open'";
    Ok(tx.query_one(sql, params![experiment.0]).await?.int("open")?)
}

/// Stores the decision on an open proposal. Returns false when it was not open.
pub async fn decide(
    tx: &mut dyn Tx,
    id: ProposalId,
    state: ProposalState,
    at: Instant,
    by: &str,
    reason: &str,
) -> Result<bool> {
    let changed = tx
        .execute(
            "UPDATE proposal SET state = $2, decided_at = $3, decided_by = $4, reason = $5 \
             WHERE proposal_id = $1 AND state = 'open'",
            params![id.0, state.word(), at.us(), by, reason],
        )
        .await?;
    Ok(changed == 1)
}
