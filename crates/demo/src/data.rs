//! Data of the demo company, as its files have it: one row per object.
//!
//! A row is the body that is sent to the API, with what the body cannot contain: the
//! project, the day, and later steps. Days count back from today.

use crate::{Error, Result};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A request's body.
pub(super) type Body = Map<String, Value>;

/// Name of the company.
pub const COMPANY: &str = "Northwind Outdoor";

/// The projects of the company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Project {
    /// The web shop.
    Shop,
    /// The magazine.
    Journal,
}

impl Project {
    /// Both projects.
    pub(super) const ALL: [Project; 2] = [Project::Shop, Project::Journal];

    /// Display name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Project::Shop => "Web shop",
            Project::Journal => "Trail Journal",
        }
    }

    /// Key in API paths and on pages.
    pub(super) fn key(self) -> &'static str {
        match self {
            Project::Shop => "prj_northwind_shop",
            Project::Journal => "prj_northwind_journal",
        }
    }
}

/// All data of the company.
#[derive(Debug)]
pub(super) struct Demo {
    pub(super) goals: Vec<Goal>,
    pub(super) hypotheses: Vec<Hypothesis>,
    pub(super) experiments: Vec<Experiment>,
    pub(super) groups: Vec<Group>,
}

/// A goal; the rest of its row is the body that creates it.
#[derive(Debug, Deserialize)]
pub(super) struct Goal {
    pub(super) project: Project,
    pub(super) day: i64,
    #[serde(flatten)]
    pub(super) body: Body,
}

/// An exclusion group or a holdout; the rest of its row is the body that creates it.
#[derive(Debug, Deserialize)]
pub(super) struct Group {
    pub(super) project: Project,
    pub(super) day: i64,
    #[serde(default)]
    pub(super) members: Vec<GroupMember>,
    #[serde(flatten)]
    pub(super) body: Body,
}

/// An experiment in an exclusion group.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupMember {
    pub(super) test_name: String,
    pub(super) percent: f64,
}

/// A hypothesis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hypothesis {
    pub(super) project: Project,
    pub(super) day: i64,
    /// Name by which experiments refer to it, if one came of it.
    pub(super) name: Option<String>,
    observation: Option<String>,
    problem: Option<String>,
    solution: Option<String>,
    /// Confidence, importance, difficulty; 0 where the team gave no rating.
    #[serde(default)]
    rated: [u8; 3],
    hypothesis_url: Option<String>,
    /// Day on which it was archived.
    pub(super) archived: Option<i64>,
}

/// An experiment; the rest of its row is the body that creates it.
#[derive(Debug, Deserialize)]
pub(super) struct Experiment {
    pub(super) project: Project,
    pub(super) day: i64,
    /// Name of the hypothesis that it came from.
    pub(super) hypothesis: Option<String>,
    #[serde(default)]
    pub(super) story: Vec<Step>,
    /// Visitors, if the experiment ended before the days whose visitors are simulated
    /// page by page.
    pub(super) met: Option<PastVisitors>,
    #[serde(flatten)]
    pub(super) body: Body,
}

/// Visitors of an experiment that has ended.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PastVisitors {
    /// Days between which they came, counted back from today: the first is the day
    /// after the start.
    pub(super) days: [i64; 2],
    /// Number of visitors of all arms together, at 1,000 visits per day. Arms get equal
    /// shares.
    pub(super) visitors: u64,
    /// Percentage of each arm's visitors who converted, by goal; the control first.
    pub(super) converted: BTreeMap<String, Vec<f64>>,
}

/// A step of an experiment on a later day.
#[derive(Debug, Deserialize)]
pub(super) struct Step {
    pub(super) day: i64,
    #[serde(flatten)]
    pub(super) deed: Deed,
}

/// Act on an experiment.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Deed {
    /// Moves it to this status.
    Status(u8),
    /// Changes it by a merge patch.
    Update(Body),
    /// Serves a winner.
    Serve(Body),
    /// Changes the winner's rollout.
    Rollout(Body),
    /// Stops serving the winner.
    StopServing(Body),
    /// Concludes it.
    Conclude(Verdict),
}

/// A conclusion as a person would enter it in the dashboard.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Verdict {
    pub(super) outcome: String,
    pub(super) note: String,
    pub(super) learned: String,
    /// Arm that is served to everybody from then on.
    pub(super) serve: Option<String>,
}

impl Hypothesis {
    /// The body that creates it.
    pub(super) fn body(&self) -> Body {
        let texts = [
            ("observation", &self.observation),
            ("problem", &self.problem),
            ("solution", &self.solution),
            ("hypothesis_url", &self.hypothesis_url),
        ];
        let texts = texts.into_iter().filter_map(|(key, text)| Some((key, text.clone()?.into())));
        let ratings = ["confidence", "importance", "difficulty"].into_iter().zip(self.rated);
        let ratings = ratings.filter(|&(_, rating)| rating > 0).map(|(key, rating)| (key, rating.into()));
        texts.chain(ratings).map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Goals {
    goal: Vec<Goal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hypotheses {
    hypothesis: Vec<Hypothesis>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Experiments {
    experiment: Vec<Experiment>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Groups {
    group: Vec<Group>,
}

impl Demo {
    /// # Errors
    /// A file that is not valid.
    pub(super) fn load() -> Result<Self> {
        let goals: Goals = read(include_str!("goals.toml"))?;
        let hypotheses: Hypotheses = read(include_str!("hypotheses.toml"))?;
        let experiments: Experiments = read(include_str!("experiments.toml"))?;
        let groups: Groups = read(include_str!("groups.toml"))?;
        Ok(Self {
            goals: goals.goal,
            hypotheses: hypotheses.hypothesis,
            experiments: experiments.experiment,
            groups: groups.group,
        })
    }
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| Error::Other(error.into()))
}
