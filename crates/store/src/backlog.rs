//! Search in the backlog: literal text, letter case ignored for all of Unicode.
//!
//! The databases fold case alike for ASCII only, and neither finds a part of a word in
//! 100,000 texts within milliseconds while counting the rest. So the folded texts of a
//! searched project are kept in memory, one after the other, and a search is one scan.
//! Each hypothesis carries the number of its last change. A search first reads, within
//! its own snapshot, what changed since the search before. This covers changes by other
//! processes and nodes too.
//!
//! Memory is bounded: the least recently searched project is evicted, and a project
//! that is too large by itself is read in batches and not cached.

use crate::Result;
use memchr::memmem::Finder;
use muriel_domain::ids::{HypothesisId, ProjectId};
use muriel_sql::{Tx, params};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OwnedMutexGuard;

/// Default for the bytes that all texts together may take.
pub const CAPACITY: usize = 256 << 20;

/// Rows read at once when texts are loaded.
const BATCH_SIZE: i64 = 2_000;

/// `text` with letter case folded as Unicode defines it: `Straße` and `STRASSE`
/// become the same.
pub fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { caseless::default_case_fold_str(text) }
}

/// A page of search results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchPage {
    /// The page's hypotheses, newest update first.
    pub(crate) ids: Vec<HypothesisId>,
    /// Number of all matches.
    pub(crate) total: i64,
}

/// Cache of the folded texts of the projects that are searched.
#[derive(Clone)]
pub struct Backlogs {
    projects: Arc<Mutex<Projects>>,
    capacity: usize,
}

#[derive(Default)]
struct Projects {
    by_id: HashMap<ProjectId, CachedBacklog>,
    /// Counts searches, to find the least recently searched project.
    clock: u64,
}

struct CachedBacklog {
    backlog: Arc<tokio::sync::Mutex<Backlog>>,
    bytes: usize,
    used: u64,
}

impl Backlogs {
    /// Creates a cache of at most `capacity` bytes of texts.
    pub fn new(capacity: usize) -> Self {
        Self { projects: Arc::default(), capacity }
    }

    /// Locks the texts of a project for a search, and waits for other searches of it. Call this before the snapshot of
    /// the search is taken, so that a backlog never sees a snapshot older than the one it was brought up to.
    pub(crate) async fn lock(&self, project: ProjectId) -> LockedBacklog {
        LockedBacklog { backlog: self.enter(project).lock_owned().await, project, capacity: self.capacity }
    }

    fn enter(&self, project: ProjectId) -> Arc<tokio::sync::Mutex<Backlog>> {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        projects.clock += 1;
        let used = projects.clock;
        let entry =
            projects.by_id.entry(project).or_insert_with(|| CachedBacklog { backlog: Arc::default(), bytes: 0, used });
        entry.used = used;
        entry.backlog.clone()
    }

    /// Records the size of a project's texts and evicts projects above the capacity,
    /// the least recently searched first.
    pub(crate) fn leave(&self, project: ProjectId, bytes: usize) {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = projects.by_id.get_mut(&project) {
            entry.bytes = bytes;
        }
        let mut total: usize = projects.by_id.values().map(|entry| entry.bytes).sum();
        while total > self.capacity || projects.by_id.len() > 10_000 {
            let oldest = projects.by_id.iter().min_by_key(|(_, entry)| entry.used).map(|(&id, _)| id);
            let Some(entry) = oldest.and_then(|id| projects.by_id.remove(&id)) else { break };
            total -= entry.bytes;
        }
    }
}

/// The texts of a project, locked for one search.
pub(crate) struct LockedBacklog {
    backlog: OwnedMutexGuard<Backlog>,
    project: ProjectId,
    capacity: usize,
}

impl LockedBacklog {
    /// The page of the project's hypotheses that contain `text`, in the snapshot of `tx`.
    pub(crate) async fn search(
        &mut self,
        tx: &mut dyn Tx,
        text: &str,
        archived_too: bool,
        window: (usize, usize),
    ) -> Result<SearchPage> {
        let needle = fold(text);
        if self.backlog.catch_up(tx, self.project, self.capacity).await? {
            let backlog = &*self.backlog;
            // A scan takes milliseconds: it must not delay other requests.
            Ok(off_the_queue(|| backlog.matches(&needle, archived_too)).page(window))
        } else {
            self.backlog.clear();
            Ok(in_portions(tx, self.project, &needle, archived_too).await?.page(window))
        }
    }

    /// Bytes that the texts take now.
    pub(crate) fn bytes(&self) -> usize {
        self.backlog.bytes()
    }
}

/// Runs blocking `work` so that it delays only its own request.
fn off_the_queue<T>(work: impl FnOnce() -> T) -> T {
    match tokio::runtime::Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(tokio::runtime::RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// One hypothesis of the search index.
#[derive(Debug, Clone, Copy)]
struct IndexedHypothesis {
    id: i64,
    updated_at: i64,
    archived: bool,
    /// Byte offset at which its text begins. The text ends where that of the next line
    /// begins.
    start: usize,
    /// True when a later line has replaced this one.
    replaced: bool,
}

/// The folded texts of one project, each hypothesis's three in a row. A zero byte ends
/// each text. No stored text contains one, so no match spans two texts.
#[derive(Default)]
struct Backlog {
    seq: i64,
    text: String,
    lines: Vec<IndexedHypothesis>,
    at: HashMap<i64, usize>,
    replaced: usize,
}

impl Backlog {
    fn clear(&mut self) {
        *self = Self::default();
    }

    fn bytes(&self) -> usize {
        self.text.capacity() + self.lines.capacity() * size_of::<IndexedHypothesis>() + self.at.capacity() * 24
    }

    /// Reads what changed since the last call. Returns whether the texts fit into
    /// `limit`.
    async fn catch_up(&mut self, tx: &mut dyn Tx, project: ProjectId, limit: usize) -> Result<bool> {
        loop {
            let rows = changed_since(tx, project, self.seq).await?;
            let last = rows.len() < BATCH_SIZE as usize;
            for row in rows {
                self.seq = row.seq;
                self.put(&row);
            }
            if self.bytes() > limit {
                return Ok(false);
            }
            if last {
                if self.replaced > 1_000 && self.replaced * 2 > self.lines.len() {
                    self.compact();
                }
                return Ok(true);
            }
        }
    }

    fn put(&mut self, row: &ChangedHypothesis) {
        let line = IndexedHypothesis {
            id: row.id,
            updated_at: row.updated_at,
            archived: row.archived,
            start: self.text.len(),
            replaced: false,
        };
        row.fold_into(&mut self.text);
        if let Some(old) = self.at.insert(row.id, self.lines.len()) {
            self.lines[old].replaced = true;
            self.replaced += 1;
        }
        self.lines.push(line);
    }

    /// Drops the lines that later ones have replaced.
    fn compact(&mut self) {
        let mut packed = Self { seq: self.seq, ..Self::default() };
        for (index, line) in self.lines.iter().enumerate().filter(|(_, line)| !line.replaced) {
            let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next.start);
            packed.at.insert(line.id, packed.lines.len());
            packed.lines.push(IndexedHypothesis { start: packed.text.len(), ..*line });
            packed.text.push_str(&self.text[line.start..end]);
        }
        *self = packed;
    }

    /// Index of the line that holds the byte offset `at`, which is not before line
    /// `from`. A common word is found in the very next line, a rare one far away, so
    /// steps double until they pass it.
    fn line_at(&self, at: usize, from: usize) -> usize {
        let mut step = 1;
        while self.lines.get(from + step).is_some_and(|line| line.start <= at) {
            step *= 2;
        }
        let (near, far) = (from + step / 2, (from + step).min(self.lines.len()));
        near + self.lines[near..far].partition_point(|line| line.start <= at) - 1
    }

    /// The hypotheses whose texts contain `needle`.
    fn matches(&self, needle: &str, archived_too: bool) -> Matches {
        let finder = Finder::new(needle.as_bytes());
        let mut matches = Matches::default();
        let (mut from, mut line) = (0, 0);
        while let Some(at) = finder.find(&self.text.as_bytes()[from..]) {
            let at = from + at;
            line = self.line_at(at, line);
            let found = self.lines[line];
            if !found.replaced && (archived_too || !found.archived) {
                matches.0.push((found.updated_at, found.id));
            }
            line += 1;
            let Some(next) = self.lines.get(line) else { break };
            from = next.start;
        }
        matches
    }
}

/// Update times and ids of the matches, in any order.
#[derive(Default)]
struct Matches(Vec<(i64, i64)>);

impl Matches {
    /// `limit` matches after the first `offset`, newest update first, then
    /// highest id.
    fn page(mut self, (limit, offset): (usize, usize)) -> SearchPage {
        let total = self.0.len();
        let end = offset.saturating_add(limit).min(total);
        if offset >= end {
            return SearchPage { ids: Vec::new(), total: total as i64 };
        }
        let newest_first = |a: &(i64, i64), b: &(i64, i64)| b.cmp(a);
        if end < total {
            self.0.select_nth_unstable_by(end, newest_first);
        }
        let front = &mut self.0[..end];
        front.sort_unstable_by(newest_first);
        SearchPage { ids: front[offset..].iter().map(|&(_, id)| HypothesisId(id)).collect(), total: total as i64 }
    }
}

/// A hypothesis that changed, as the statement reads it.
struct ChangedHypothesis {
    id: i64,
    updated_at: i64,
    archived: bool,
    seq: i64,
    texts: [Option<String>; 3],
}

impl ChangedHypothesis {
    fn fold_into(&self, text: &mut String) {
        for part in &self.texts {
            text.push_str(&fold(part.as_deref().unwrap_or_default()));
            text.push('\0');
        }
    }
}

async fn changed_since(tx: &mut dyn Tx, project: ProjectId, seq: i64) -> Result<Vec<ChangedHypothesis>> {
    let rows = tx
        .query(
            "SELECT hypothesis_id, updated_at, archived, seq, observation, problem, solution FROM hypothesis \
             WHERE project_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
            params![project.0, seq, BATCH_SIZE],
        )
        .await?;
    rows.into_iter()
        .map(|mut row| {
            Ok(ChangedHypothesis {
                id: row.int("hypothesis_id")?,
                updated_at: row.int("updated_at")?,
                archived: row.flag("archived")?,
                seq: row.int("seq")?,
                texts: [row.opt_text("observation")?, row.opt_text("problem")?, row.opt_text("solution")?],
            })
        })
        .collect()
}

/// The matches of a project that is too large to cache, read in batches.
async fn in_portions(tx: &mut dyn Tx, project: ProjectId, needle: &str, archived_too: bool) -> Result<Matches> {
    let finder = Finder::new(needle.as_bytes());
    let mut matches = Matches::default();
    let mut text = String::new();
    let mut seq = 0;
    loop {
        let rows = changed_since(tx, project, seq).await?;
        let last = rows.len() < BATCH_SIZE as usize;
        for row in rows {
            seq = row.seq;
            text.clear();
            row.fold_into(&mut text);
            if (archived_too || !row.archived) && finder.find(text.as_bytes()).is_some() {
                matches.0.push((row.updated_at, row.id));
            }
        }
        if last {
            return Ok(matches);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(id: i64, updated_at: i64, texts: [&str; 3]) -> ChangedHypothesis {
        ChangedHypothesis {
            id,
            updated_at,
            archived: id % 10 == 0,
            seq: updated_at,
            texts: texts.map(|text| Some(text.to_owned())),
        }
    }

    #[test]
    fn folding_ignores_case_for_all_of_unicode() {
        for (a, b) in [("Straße", "STRASSE"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ǅ", "ǆ"), ("ПРИВЕТ", "привет"), ("İ", "i̇")]
        {
            assert_eq!(fold(a), fold(b), "{a} {b}");
        }
    }

    #[test]
    fn a_scan_finds_each_line_once_and_nothing_across_texts() {
        let mut backlog = Backlog::default();
        backlog.put(&changed(1, 1, ["abab", "ab", "end"]));
        backlog.put(&changed(2, 2, ["x", "y", "z"]));
        backlog.put(&changed(3, 3, ["", "", "AB"]));
        backlog.put(&changed(10, 4, ["ab", "", ""]));
        backlog.put(&changed(1, 5, ["now ab too", "", ""]));
        let ids = |needle, archived, window| {
            let found = backlog.matches(needle, archived).page(window);
            (found.ids.iter().map(|id| id.0).collect::<Vec<_>>(), found.total)
        };
        assert_eq!(ids("ab", false, (10, 0)), (vec![1, 3], 2));
        assert_eq!(ids("ab", true, (10, 0)), (vec![1, 10, 3], 3));
        assert_eq!(ids("ab", true, (1, 1)), (vec![10], 3));
        assert_eq!(ids("ab", true, (1, 3)), (vec![], 3));
        assert_eq!(ids("xy", true, (10, 0)), (vec![], 0));
        assert_eq!(ids("z", true, (10, 0)), (vec![2], 1));
    }

    #[test]
    fn compacting_changes_no_answer() {
        let mut backlog = Backlog::default();
        for at in 0..300 {
            backlog.put(&changed(at % 7 + 1, at, [&format!("text {}", at % 7), "b", ""]));
        }
        let before = backlog.matches("text", true).page((100, 0));
        backlog.compact();
        assert_eq!(backlog.lines.len(), 7);
        assert_eq!(backlog.matches("text", true).page((100, 0)), before);
        assert_eq!(backlog.matches("text 3", true).page((100, 0)).total, 1);
    }
}
