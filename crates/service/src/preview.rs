//! Preview links: a page's URL with parameters that show one arm.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use crate::install::without_query;
use muriel_context::actor::{self, Actor};
use muriel_context::api_key::Pepper;
use muriel_context::digest::hex;
use muriel_context::error::{Error, Result};
use muriel_domain::experiment::Arm;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::time::DAY_US;
use muriel_domain::{Instant, Problems};
use muriel_store::previews::PreviewReport;
use muriel_store::{experiments, previews};
use subtle::ConstantTimeEq;

/// Result of a preview of an arm on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewFound {
    /// Number of the arm.
    pub arm: u32,
    /// URL of the page.
    pub url: String,
    /// Selectors of the arm's changes that matched an element.
    pub matched: Vec<String>,
    /// Selectors of the arm's changes that matched no element.
    pub missing: Vec<String>,
}

/// Stores the result of an arm's preview, replacing the earlier one.
///
/// # Errors
/// `NotFound`, an arm that the experiment does not have, and when the database cannot be reached.
pub async fn report(app: &App, project: ProjectId, id: ExperimentId, found: PreviewFound) -> Result<()> {
    let now = app.clock.now();
    let url = without_query(&found.url).to_owned();
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let shape = experiments::shape(tx, project, id).await?.ok_or(Error::NotFound("preview"))?;
                if found.arm >= shape.arms {
                    return Err(Problems::one("variant_id", "is not a variant of this experiment").into());
                }
                let PreviewFound { arm, matched, missing, .. } = found;
                let report = PreviewReport { arm: Arm(arm), at: now, url, matched, missing };
                Ok(previews::keep(tx, id, report).await?)
            })
        })
        .await
}

/// Validity of a link.
pub const LIFETIME_US: i64 = 7 * DAY_US;

/// Creates a token that allows fetching one experiment until it expires or its maker can no longer see
/// the experiment.
pub fn token(pepper: &Pepper, project: ProjectId, experiment: ExperimentId, maker: &Actor, now: Instant) -> String {
    let expires = now.plus_us(LIFETIME_US).us() / 1_000_000;
    let maker = maker.holder();
    let signed = signature(pepper, &format!("{project}.{experiment}.{expires}.{maker}"));
    format!("{expires}.{maker}.{signed}")
}

/// Returns whether the token gives access to this experiment now.
pub async fn opens(app: &App, token: &str, project: ProjectId, experiment: ExperimentId) -> Result<bool> {
    match genuine_maker(&app.pepper, token, project, experiment, app.clock.now()) {
        Some(maker) => actor::may_still_see(app, maker, project).await,
        None => Ok(false),
    }
}

/// Returns the maker of the token, if the server made it for this experiment and it has not expired.
/// Tokens of earlier versions do not name the maker: the result is empty.
fn genuine_maker<'a>(
    pepper: &Pepper,
    token: &'a str,
    project: ProjectId,
    experiment: ExperimentId,
    now: Instant,
) -> Option<&'a str> {
    let (claimed, signed) = token.rsplit_once('.')?;
    let (expires, maker) = claimed.split_once('.').unwrap_or((claimed, ""));
    let is_genuine =
        signature(pepper, &format!("{project}.{experiment}.{claimed}")).as_bytes().ct_eq(signed.as_bytes());
    let expires = expires.parse::<i64>().ok()?;
    (bool::from(is_genuine) && now.us() / 1_000_000 < expires).then_some(maker)
}

fn signature(pepper: &Pepper, claimed: &str) -> String {
    hex(&pepper.sign(claimed))
}

/// Builds the page's URL with the parameters that select an arm. Parameters that the URL already has
/// stay.
pub fn link(page: &str, experiment: ExperimentId, arm: Arm, token: &str) -> String {
    let (address, fragment) = match page.split_once('#') {
        Some((address, fragment)) => (address, format!("#{fragment}")),
        None => (page, String::new()),
    };
    let joint = match address.find('?') {
        None => "?",
        Some(at) if at + 1 == address.len() || address.ends_with('&') => "",
        Some(_) => "&",
    };
    let arm = if arm == Arm::CONTROL { "0".to_owned() } else { arm.to_string().replace(' ', "_") };
    format!("{address}{joint}test-preview={experiment}&test-variant={arm}&test-token={token}{fragment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_keep_what_the_address_has() {
        for (page, expect) in [
            ("https://a.example/", "https://a.example/?test-preview=7&test-variant=Variant_2&test-token=t"),
            (
                "https://a.example/?q=1#top",
                "https://a.example/?q=1&test-preview=7&test-variant=Variant_2&test-token=t#top",
            ),
            ("https://a.example/?", "https://a.example/?test-preview=7&test-variant=Variant_2&test-token=t"),
        ] {
            assert_eq!(link(page, ExperimentId(7), Arm(2), "t"), expect);
        }
        assert!(link("https://a.example", ExperimentId(7), Arm::CONTROL, "t").contains("test-variant=0&"));
    }

    #[test]
    fn a_token_opens_one_experiment_for_seven_days() {
        let pepper = Pepper::new(&[7; 32]);
        let now = Instant::from_us(1_000_000_000);
        let token = token(&pepper, ProjectId(1), ExperimentId(2), &Actor::COMMAND_LINE, now);
        let opens = |pepper: &Pepper, token: &str, project, experiment, now| {
            genuine_maker(pepper, token, ProjectId(project), ExperimentId(experiment), now).is_some()
        };
        let later = |us| now.plus_us(us);
        assert!(opens(&pepper, &token, 1, 2, later(LIFETIME_US - 1_000_000)));
        assert!(!opens(&pepper, &token, 1, 2, later(LIFETIME_US)));
        assert!(!opens(&pepper, &token, 1, 3, now));
        assert!(!opens(&pepper, &token, 2, 2, now));
        assert!(!opens(&Pepper::new(&[8; 32]), &token, 1, 2, now));
        let other = token.replacen("..", ".p1.", 1);
        for broken in ["", ".", "..", "x.y", "x.y.z", "99999999999999999999.00", &token[1..], &other] {
            assert!(!opens(&pepper, broken, 1, 2, now), "{broken}");
        }
        // Tokens of the earlier version do not name a maker.
        let expires = later(LIFETIME_US).us() / 1_000_000;
        let old = format!("{expires}.{}", signature(&pepper, &format!("1.2.{expires}")));
        assert_eq!(genuine_maker(&pepper, &old, ProjectId(1), ExperimentId(2), now), Some(""));
    }
}
