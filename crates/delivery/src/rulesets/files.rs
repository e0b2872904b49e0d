//! The last good ruleset of each project, one file each: a line with the SHA-256
//! of the rest, then JSON.

use crate::script::ScriptSettings;
use muriel_assign::{Document, Ruleset};
use muriel_context::digest::hex;
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

/// Directory with the last good ruleset of each project.
pub struct RulesetFiles {
    directory: PathBuf,
    /// Rulesets that are not written yet, by project id.
    pending: Mutex<HashMap<i64, PendingRuleset>>,
    /// Held while files are written, so that an older ruleset never replaces a newer one.
    writing: tokio::sync::Mutex<()>,
}

type PendingRuleset = (Arc<Project>, Document, ScriptSettings);

#[derive(Serialize, Deserialize)]
struct StoredRuleset {
    project_id: i64,
    company_id: i64,
    project_key: String,
    name: String,
    ruleset: Document,
    /// Missing in files of older versions. Versions before this field was renamed read it as `beside`, also after a
    /// rollback.
    #[serde(default, rename = "beside")]
    script_settings: ScriptSettings,
}

impl RulesetFiles {
    /// Uses files in `directory`, which is created when the first one is written.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, pending: Mutex::default(), writing: tokio::sync::Mutex::default() }
    }

    /// Queues the project's ruleset for the next [`RulesetFiles::flush`].
    pub fn store(&self, project: &Arc<Project>, document: Document, script_settings: ScriptSettings) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.insert(project.id.0, (project.clone(), document, script_settings));
    }

    /// Writes the pending rulesets. A failed write is not retried before the project's next
    /// change; the last file stays.
    pub async fn flush(&self) {
        let _writing = self.writing.lock().await;
        let pending = std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        if pending.is_empty() {
            return;
        }
        let directory = self.directory.clone();
        let written = tokio::task::spawn_blocking(move || {
            for (project, document, script_settings) in pending.into_values() {
                if let Err(error) = write(&directory, &project, document, script_settings) {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        project_key = project.key,
                        "the last good ruleset cannot be written to its file"
                    );
                }
            }
        });
        let _ = written.await;
    }

    /// Milliseconds since a file was last written.
    pub fn age_ms(&self) -> Option<i64> {
        let entries = fs::read_dir(&self.directory).ok()?.filter_map(Result::ok);
        let newest = entries.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()?;
        i64::try_from(newest.elapsed().ok()?.as_millis()).ok()
    }

    /// Returns every intact ruleset. Skips damaged files with a warning.
    pub fn read_all(&self) -> Vec<(Project, Document, ScriptSettings)> {
        let Ok(entries) = fs::read_dir(&self.directory) else { return Vec::new() };
        let mut rulesets = Vec::new();
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match read(&path) {
                Some(ruleset) => rulesets.push(ruleset),
                None => tracing::warn!(path = %path.display(), "a ruleset file is damaged, so it is skipped"),
            }
        }
        rulesets
    }
}

/// Writes a temporary file and renames it, so that a reader finds either the old file or the complete new one.
fn write(
    directory: &Path,
    project: &Project,
    ruleset: Document,
    script_settings: ScriptSettings,
) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let stored = StoredRuleset {
        project_id: project.id.0,
        company_id: project.company_id.0,
        project_key: project.key.clone(),
        name: project.name.clone(),
        ruleset,
        script_settings,
    };
    let text = serde_json::to_vec(&stored)?;
    let temporary = directory.join(format!("{}.new", project.id));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
    writeln!(file, "{}", hex(&Sha256::digest(&text)))?;
    file.write_all(&text)?;
    file.sync_all()?;
    fs::rename(&temporary, directory.join(format!("{}.json", project.id)))
}

fn read(path: &Path) -> Option<(Project, Document, ScriptSettings)> {
    let text = fs::read_to_string(path).ok()?;
    let (sum, json) = text.split_once('\n')?;
    if hex(&Sha256::digest(json.as_bytes())) != sum {
        return None;
    }
    let stored: StoredRuleset = serde_json::from_str(json).ok()?;
    Ruleset::compile(&stored.ruleset).ok()?;
    let project = Project {
        id: ProjectId(stored.project_id),
        company_id: CompanyId(stored.company_id),
        key: stored.project_key,
        name: stored.name,
    };
    Some((project, stored.ruleset, stored.script_settings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn intact_files_are_read_and_damaged_ones_skipped() {
        let dir = tempfile::tempdir().unwrap();
        let files = RulesetFiles::new(dir.path().join("rulesets"));
        for id in [1, 2] {
            let key = format!("prj_{id}");
            let project =
                Project { id: ProjectId(id), company_id: CompanyId(7), key: key.clone(), name: "Shop".into() };
            files.store(&Arc::new(project), Document::new(&key, Vec::new(), Vec::new()), ScriptSettings::default());
        }
        files.flush().await;
        assert_eq!(files.read_all().len(), 2);
        let path = dir.path().join("rulesets/2.json");
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= 1;
        fs::write(&path, bytes).unwrap();
        let rulesets = files.read_all();
        assert_eq!(rulesets.len(), 1);
        assert_eq!(rulesets[0].0.key, "prj_1");
    }
}
