//! Unique keys of experiments and goals, and slugs of hypotheses, within a project.

use crate::error::Result;
use muriel_domain::ids::ProjectId;
use muriel_domain::text;
use muriel_sql::Tx;
use muriel_store::{experiments, goals, hypotheses};

/// Maximum length of a key, in bytes.
pub const KEY_MAX: usize = 64;

/// Kinds of objects that have a key.
#[derive(Debug, Clone, Copy)]
pub enum Keyed {
    /// An experiment, by its key.
    Experiment,
    /// A goal, by its key.
    Goal,
    /// A hypothesis, by its slug.
    Hypothesis,
}

impl Keyed {
    /// Returns whether the key is taken.
    pub async fn is_taken(self, tx: &mut dyn Tx, project: ProjectId, key: &str) -> Result<bool> {
        Ok(match self {
            Keyed::Experiment => experiments::key_is_taken(tx, project, key).await?,
            Keyed::Goal => goals::key_is_taken(tx, project, key).await?,
            Keyed::Hypothesis => hypotheses::slug_is_taken(tx, project, key).await?,
        })
    }

    /// Returns `base`, or `base-2`, `base-3`… where that is taken. The number is found by doubling and
    /// halving, so that the thousandth object of one name takes about twenty queries.
    pub async fn free_key(self, tx: &mut dyn Tx, project: ProjectId, base: &str) -> Result<String> {
        if !self.is_taken(tx, project, base).await? {
            return Ok(base.to_owned());
        }
        let numbered = |number| text::numbered(base, number, KEY_MAX);
        let (mut taken, mut free) = (1, 2);
        while self.is_taken(tx, project, &numbered(free)).await? {
            (taken, free) = (free, free * 2);
        }
        while free - taken > 1 {
            let middle = taken + (free - taken) / 2;
            if self.is_taken(tx, project, &numbered(middle)).await? {
                taken = middle;
            } else {
                free = middle;
            }
        }
        Ok(numbered(free))
    }
}
