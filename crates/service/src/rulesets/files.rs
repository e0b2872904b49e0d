//! The last good ruleset of each project, one file each: a line with the SHA-256
//! of the rest, then JSON.

use crate::digest::hex;
use crate::script::ScriptSettings;
use muriel_assign::{Document, Ruleset};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_store::tenants::Project;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A directory of last good rulesets.
pub struct Files {
    directory: PathBuf,
    /// What is to be written still; at most one document per project.
    waiting: Mutex<HashMap<i64, Waiting>>,
}

/// What is to be written of a project.
type Waiting = (Arc<Project>, Document, ScriptSettings);

#[derive(Serialize, Deserialize)]
struct StoredRuleset {
    project_id: i64,
    company_id: i64,
    project_key: String,
    name: String,
    ruleset: Document,
    /// What the script needs besides; files of before have none.
    #[serde(default)]
    beside: ScriptSettings,
}

impl Files {
    /// Files in `directory`, which is made when something is kept.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, waiting: Mutex::default() }
    }

    /// Has the project's document written at the next [`Files::flush`].
    pub fn keep(&self, project: &Arc<Project>, document: Document, beside: ScriptSettings) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(project.id.0, (project.clone(), document, beside));
    }

    /// Writes what waits. What cannot be written is tried again at the next
    /// change; the file before it stays.
    pub async fn flush(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        if waiting.is_empty() {
            return;
        }
        let directory = self.directory.clone();
        let written = tokio::task::spawn_blocking(move || {
            for (project, document, beside) in waiting.into_values() {
                if let Err(error) = write(&directory, &project, document, beside) {
                    tracing::warn!(%error, project_key = project.key, "the last good ruleset is not kept");
                }
            }
        });
        let _ = written.await;
    }

    /// How many milliseconds ago a file was written last.
    pub fn age_ms(&self) -> Option<i64> {
        let entries = fs::read_dir(&self.directory).ok()?.filter_map(Result::ok);
        let newest = entries.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()?;
        i64::try_from(newest.elapsed().ok()?.as_millis()).ok()
    }

    /// Every ruleset that is whole. A damaged file is passed over, with a warning.
    pub fn read_all(&self) -> Vec<(Project, Document, ScriptSettings)> {
        let Ok(entries) = fs::read_dir(&self.directory) else { return Vec::new() };
        let mut kept = Vec::new();
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match read(&path) {
                Some(found) => kept.push(found),
                None => tracing::warn!(path = %path.display(), "a kept ruleset is damaged and passed over"),
            }
        }
        kept
    }
}

/// ScriptSettings first, then in place of the old one: whoever reads gets one or the other.
fn write(directory: &Path, project: &Project, ruleset: Document, beside: ScriptSettings) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let kept = StoredRuleset {
        project_id: project.id.0,
        company_id: project.company_id.0,
        project_key: project.key.clone(),
        name: project.name.clone(),
        ruleset,
        beside,
    };
    let text = serde_json::to_vec(&kept)?;
    let beside = directory.join(format!("{}.new", project.id));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    writeln!(file, "{}", hex(&Sha256::digest(&text)))?;
    file.write_all(&text)?;
    file.sync_all()?;
    fs::rename(&beside, directory.join(format!("{}.json", project.id)))
}

fn read(path: &Path) -> Option<(Project, Document, ScriptSettings)> {
    let text = fs::read_to_string(path).ok()?;
    let (sum, json) = text.split_once('\n')?;
    if hex(&Sha256::digest(json.as_bytes())) != sum {
        return None;
    }
    let kept: StoredRuleset = serde_json::from_str(json).ok()?;
    Ruleset::compile(&kept.ruleset).ok()?;
    let project = Project {
        id: ProjectId(kept.project_id),
        company_id: CompanyId(kept.company_id),
        key: kept.project_key,
        name: kept.name,
    };
    Some((project, kept.ruleset, kept.beside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whole_files_are_read_and_damaged_ones_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let files = Files::new(dir.path().join("rulesets"));
        for id in [1, 2] {
            let key = format!("prj_{id}");
            let project =
                Project { id: ProjectId(id), company_id: CompanyId(7), key: key.clone(), name: "Shop".into() };
            files.keep(&Arc::new(project), Document::new(&key, Vec::new(), Vec::new()), ScriptSettings::default());
        }
        files.flush().await;
        assert_eq!(files.read_all().len(), 2);
        let path = dir.path().join("rulesets/2.json");
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= 1;
        fs::write(&path, bytes).unwrap();
        let kept = files.read_all();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].0.key, "prj_1");
    }
}
