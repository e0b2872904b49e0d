//! The delivery of one project.

use super::encoded::Encoded;
use crate::flag_template::FlagTemplate;
use crate::script::{self, LoopGuards, Mount, ScriptSettings};
use crate::site::Site;
use bytes::Bytes;
use muriel_assign::{Delivered, Document, Experiment, Ruleset};
use muriel_context::digest::version_of;
use muriel_context::error::Error;
use muriel_domain::goal::Trigger;
use muriel_domain::kept_query::AddressFilter;
use muriel_domain::page::PageSettings;
use muriel_store::experiments::Shape;
use muriel_store::tenants::Project;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Everything that is delivered to the visitors of a project: the ruleset, and the script made from it.
pub struct Delivery {
    /// The project.
    pub project: Arc<Project>,
    /// The compiled ruleset.
    pub ruleset: Ruleset,
    /// Constant parts of each experiment's flag and assignment, in the order of the ruleset.
    pub templates: Vec<FlagTemplate>,
    /// The published ruleset as JSON.
    pub body: Encoded,
    /// Version of the body, for `ETag`.
    pub etag: String,
    /// The script for the usual path, and for the path below the server's prefix.
    pub(super) scripts: [OnceCell<Script>; 2],
    /// Version of the project's delivery in the database; -1 if it was not read from there.
    pub(super) version: i64,
    pub(super) document: Document,
    pub(super) script_settings: ScriptSettings,
    /// Revision of each delivered experiment, by id.
    pub(super) revisions: HashMap<i64, i64>,
    pub(super) loop_guards: LoopGuards,
    /// Shortens the addresses of events.
    pub(crate) addresses: AddressFilter,
}

/// A project's script.
pub struct Script {
    /// The JavaScript that pages load.
    pub body: Encoded,
    /// Version of the body, for `ETag`.
    pub etag: String,
    /// Names of the server, which the script contains.
    pub(super) site: Arc<Site>,
}

impl Delivery {
    pub(super) fn new(
        project: Arc<Project>,
        mut document: Document,
        script_settings: ScriptSettings,
        revisions: HashMap<i64, i64>,
        version: i64,
        loop_guards: LoopGuards,
    ) -> Self {
        let ruleset = compile(&mut document);
        let plain: Bytes = serde_json::to_vec(&document).unwrap_or_default().into();
        let etag = version_of(&plain);
        let templates = ruleset.experiments().iter().map(FlagTemplate::of).collect();
        let (body, scripts) = (Encoded::new(plain), Default::default());
        let goals = script_settings.address_goals.iter();
        let goals: Vec<Trigger> = goals.filter_map(|(kind, value)| Trigger::new(*kind, value.clone()).ok()).collect();
        let rules = document.experiments.iter().map(|delivered| &delivered.targeting);
        let addresses = AddressFilter::new(&script_settings.settings.keep_query, &goals, rules);
        Self {
            project,
            ruleset,
            templates,
            etag,
            body,
            scripts,
            version,
            document,
            script_settings,
            revisions,
            loop_guards,
            addresses,
        }
    }

    /// Returns the project's script. The first request composes it, or a background task where the
    /// script of an earlier delivery was requested: a change of an experiment does not wait for it.
    ///
    /// # Errors
    /// `Unavailable` while too much code waits for its loop guards; an internal error when composing panics.
    pub async fn script(self: &Arc<Self>, site: &Arc<Site>, under: Mount) -> Result<&Script, Error> {
        let cell = match under {
            Mount::Root => &self.scripts[0],
            Mount::Prefix => &self.scripts[1],
        };
        let compose = || async {
            let document = self.loop_guards.guarded(&self.document).await?;
            let (delivery, site) = (self.clone(), site.clone());
            // Composing a megabyte of code takes long enough to delay other requests of this thread.
            let composed = tokio::task::spawn_blocking(move || {
                let body: Bytes = script::compose(&document, &delivery.script_settings, &site, under).into();
                Script { etag: version_of(&body), body: Encoded::new(body), site }
            });
            composed.await.map_err(Error::internal)
        };
        cell.get_or_try_init(compose).await
    }

    /// The delivered experiments, ordered by id.
    pub fn delivered(&self) -> &[Arc<Delivered>] {
        &self.document.experiments
    }

    /// The project's page settings.
    pub fn page_settings(&self) -> &PageSettings {
        &self.script_settings.settings
    }

    /// Returns the epoch and the arms that an exposure of a delivered experiment can name.
    pub fn shape(&self, test_id: i64) -> Option<Shape> {
        // Experiments are sorted by id.
        let experiments = self.ruleset.experiments();
        let at = experiments.binary_search_by_key(&test_id, |experiment| experiment.id).ok()?;
        let started_at = self.script_settings.starts.get(&test_id).copied();
        Some(Shape { epoch: experiments[at].epoch, arms: experiments[at].arms, started_at })
    }
}

/// Compiles the document. Experiments that do not compile are removed from it. The API
/// rejects such experiments, but an older version may have stored one, and it must not
/// affect the others.
fn compile(document: &mut Document) -> Ruleset {
    Ruleset::compile(document).unwrap_or_else(|problems| {
        tracing::error!(project_key = document.project_key, ?problems, "some experiments cannot be delivered");
        document.experiments.retain(|delivered| Experiment::compile(delivered).is_ok());
        Ruleset::compile(document).unwrap_or_default()
    })
}
