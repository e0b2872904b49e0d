//! `muriel explain`: explains the assignment of a visitor.

use crate::config::{Common, ServeFlags, Settings, StorageSettings};
use crate::open::{Opened, open_existing};
use crate::say::{self, say};
use crate::{Error, Result, named};
use clap::Args;
use muriel_api::explain::{Explanation, explain};
use muriel_api::json::{self, Json};
use muriel_assign::{Delivered, Experiment};
use muriel_context::clock::Clock;
use muriel_delivery::visitor::{Geography, TrustedProxies, Visitors};
use muriel_domain::Problems;
use muriel_domain::text::one_line;
use muriel_store::experiments;
use std::env;
use std::fmt::Write;
use std::path::PathBuf;

/// `muriel explain`
#[derive(Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    common: Common,
    /// Key of the project.
    #[arg(long, value_name = "PROJECT_KEY")]
    project: String,
    /// Key or id of the experiment.
    #[arg(long, value_name = "KEY_OR_ID")]
    experiment: String,
    /// Id of the visitor.
    #[arg(long, value_name = "ID")]
    visitor: String,
    /// Fact about the visitor: country, url, device, ip, user_agent… or an attribute of your own. May be
    /// given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    context: Vec<(String, String)>,
    /// JSON file with an object of such facts, as OpenFeature clients send it; --context takes precedence.
    #[arg(long, value_name = "FILE")]
    context_json: Option<PathBuf>,
    /// Print JSON, in the format of the API.
    #[arg(long)]
    json: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("must be a name and a value such as country=DE".to_owned()),
    }
}

/// Explains the assignment of the visitor.
///
/// # Errors
/// An unknown project or experiment, and an invalid context.
pub async fn run(asked: Explain) -> Result<()> {
    let settings = Settings::load(asked.common.clone(), ServeFlags::default())?;
    let members = members(&asked)?;
    let geography = match &settings.geo_database {
        None => Geography::off(),
        Some(path) => Geography::open(path).map_err(|error| Error::Other(error.into()))?,
    };
    let opened = open_existing(&StorageSettings::load(&asked.common)?).await?;
    let delivered = find(&opened, &asked.project, &asked.experiment).await;
    opened.db.close().await?;
    let visitors = Visitors::new(geography, TrustedProxies::default());
    let delivered = delivered?;
    let experiment = Experiment::compile(&delivered).map_err(|problems| refusal(&problems))?;
    let now = Clock::System.now();
    let explanation = explain(&delivered, &experiment, &members, &visitors, now).map_err(|it| refusal(&it))?;
    if asked.json {
        let text = serde_json::to_string(&explanation).map_err(|error| Error::Other(error.into()))?;
        say!("{text}")?;
    } else {
        let style = Style { colour: say::has_colour(), marks: locale_has_marks() };
        say::text(format_args!("{}", text(&explanation, style)))?;
    }
    Ok(())
}

/// Facts about the visitor. Of two facts with one name, the later one counts.
fn members(asked: &Explain) -> Result<Vec<(String, Json)>> {
    let mut members = match &asked.context_json {
        None => Vec::new(),
        Some(path) => {
            let bytes = std::fs::read(path).map_err(|source| Error::File {
                doing: "cannot read the context in",
                path: path.clone(),
                source,
            })?;
            match json::parse(&bytes) {
                Ok(Json::Object(members)) => members,
                Ok(_) => return Err(Error::Refused(format!("{} must hold a JSON object", path.display()))),
                Err(error) => return Err(Error::Refused(format!("{} is not valid JSON: {error}", path.display()))),
            }
        }
    };
    let given = asked.context.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in given.chain([("targetingKey", asked.visitor.as_str())]) {
        members.retain(|(known, _)| known != name);
        members.push((name.to_owned(), Json::Text(value.to_owned())));
    }
    Ok(members)
}

fn refusal(problems: &Problems) -> Error {
    let all: Vec<String> =
        problems.iter().map(|problem| problem.to_string().replacen("targetingKey", "--visitor", 1)).collect();
    Error::Refused(all.join("; "))
}

async fn find(opened: &Opened, project: &str, wanted: &str) -> Result<Delivered> {
    let (project, wanted) = (project.to_owned(), wanted.to_owned());
    let found = opened.db.read::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let (project, id) = named::experiment(tx, &project, &wanted).await?;
            experiments::delivery(tx, project, id).await?.ok_or_else(|| named::no_experiment(&wanted))
        })
    });
    Ok(Delivered::of(&found.await?))
}

/// Style of the output.
#[derive(Debug, Clone, Copy)]
struct Style {
    colour: bool,
    /// True when the terminal supports Unicode.
    marks: bool,
}

/// Returns whether the locale's encoding is UTF-8.
fn locale_has_marks() -> bool {
    let mut set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| env::var(name).ok());
    let locale = set.find(|value| !value.is_empty()).unwrap_or_default().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

impl Style {
    fn mark(self, outcome: &str) -> String {
        let (mark, plain, colour) = match outcome {
            "pass" => ("✓", "yes ", "32"),
            "fail" => ("✗", "no  ", "31"),
            "unknown" => ("?", "?   ", "33"),
            _ => ("–", "-   ", "2"),
        };
        let mark = if self.marks { mark } else { plain };
        if self.colour { format!("\x1b[{colour}m{mark}\x1b[0m") } else { mark.to_owned() }
    }
}

fn text(explanation: &Explanation, style: Style) -> String {
    let (strong, plain) = if style.colour { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let wide = explanation.steps.iter().map(|step| step.check.len()).max().unwrap_or(0);
    let mut text = format!(
        "{} in experiment {} (id {}, epoch {})\n\n",
        one_line(&explanation.visitor),
        explanation.experiment_key,
        explanation.test_id,
        explanation.epoch
    );
    for step in &explanation.steps {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {} {:<wide$}  {}", style.mark(step.outcome), step.check, one_line(&step.detail));
    }
    if !explanation.unenforced.is_empty() {
        let rules = explanation.unenforced.join(", ");
        let _ = writeln!(text, "\nOnly a page can check {rules}: skipped here.");
    }
    if let Some(elsewhere) = &explanation.elsewhere {
        let _ = writeln!(text, "\n{strong}Not on this page{plain}: {elsewhere}.");
    }
    let decision = match &explanation.variant {
        Some(variant) => format!("gets {variant}"),
        None => "sees the original".to_owned(),
    };
    let counted = if explanation.in_experiment { "counted" } else { "not counted" };
    let _ = writeln!(
        text,
        "\n{strong}{} {decision}{plain}, {counted}: {} ({})",
        one_line(&explanation.visitor),
        because(explanation.reason),
        explanation.reason
    );
    text
}

fn because(reason: &str) -> &'static str {
    match reason {
        "split" => "its bucket is in the range of this variant",
        "sticky" => "it was assigned this variant before",
        "forced" => "a preview requested this variant",
        "served" => "a winner is served",
        "disabled" => "the experiment is not running",
        "rollout" => "a winner is served to a share of visitors, and this one is not in it",
        "holdout" => "it is held out of every experiment of the holdout",
        "excluded" => "its bucket is outside the experiment's range of the exclusion group",
        "traffic" => "it is outside the share of visitors that enter",
        "targeting" => "targeting excludes it",
        "unknown" => "targeting needs a fact that is not known yet",
        "audience" => "no variant has an audience that includes it",
        "variant_gone" => "the variant that it was assigned before no longer exists",
        _ => "see the steps",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_api::explain::ExplanationStep;
    use muriel_assign::Reason;

    #[test]
    fn every_reason_has_a_sentence() {
        for reason in Reason::ALL {
            assert_ne!(because(reason.word()), "see the steps", "{}", reason.word());
        }
    }

    #[test]
    fn steps_are_printed_in_words() {
        let step = |check, outcome| ExplanationStep { check, outcome, detail: format!("about {check}") };
        let explanation = Explanation {
            success: true,
            test_id: 7,
            experiment_key: "checkout".to_owned(),
            epoch: 2,
            visitor: "v-1".to_owned(),
            variant: None,
            reason: "unknown",
            in_experiment: false,
            unenforced: vec!["cookie_rule".to_owned()],
            elsewhere: Some("it is elsewhere".to_owned()),
            steps: vec![
                step("status", "pass"),
                step("traffic", "fail"),
                step("country", "unknown"),
                step("cookie_rule", "not_enforced"),
            ],
        };
        let plain = text(&explanation, Style { colour: false, marks: false });
        assert_eq!(
            plain,
            "v-1 in experiment checkout (id 7, epoch 2)\n\n  \
             yes  status       about status\n  \
             no   traffic      about traffic\n  \
             ?    country      about country\n  \
             -    cookie_rule  about cookie_rule\n\n\
             Only a page can check cookie_rule: skipped here.\n\n\
             Not on this page: it is elsewhere.\n\n\
             v-1 sees the original, not counted: targeting needs a fact that is not known yet (unknown)\n"
        );
        let marked = text(&explanation, Style { colour: true, marks: true });
        assert!(marked.contains("\x1b[32m✓\x1b[0m status") && marked.contains("✗") && marked.contains("–"));
    }
}
