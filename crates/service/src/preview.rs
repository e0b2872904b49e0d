//! Preview links: a page's URL with parameters that show one arm.

use crate::api_key::Pepper;
use crate::app::App;
use crate::digest::hex;
use crate::error::{Error, Result};
use crate::install::without_query;
use muriel_domain::experiment::Arm;
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::time::DAY_US;
use muriel_domain::{Instant, Problems};
use muriel_store::previews::PreviewReport;
use muriel_store::{experiments, previews};
use subtle::ConstantTimeEq;

/// What a preview of an arm found on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewFound {
    /// The number of the arm.
    pub arm: u32,
    /// The page.
    pub url: String,
    /// Selectors of the arm's changes that matched an element.
    pub matched: Vec<String>,
    /// Selectors that matched none.
    pub missing: Vec<String>,
}

/// Keeps what a preview of an arm found, in place of what the one before did.
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
                    return Err(Problems::one("variant_id", "is not an arm of this experiment").into());
                }
                let PreviewFound { arm, matched, missing, .. } = found;
                let report = PreviewReport { arm: Arm(arm), at: now, url, matched, missing };
                Ok(previews::keep(tx, id, report).await?)
            })
        })
        .await
}

/// How long a link works.
pub const LIFETIME_US: i64 = 7 * DAY_US;

/// A token with which one experiment can be fetched until it expires.
pub fn token(pepper: &Pepper, project: ProjectId, experiment: ExperimentId, now: Instant) -> String {
    let expires = now.plus_us(LIFETIME_US).us() / 1_000_000;
    format!("{expires}.{}", signature(pepper, project, experiment, expires))
}

/// Whether the token opens this experiment now.
pub fn opens(pepper: &Pepper, token: &str, project: ProjectId, experiment: ExperimentId, now: Instant) -> bool {
    let Some((expires, signed)) = token.split_once('.') else { return false };
    let Ok(expires) = expires.parse::<i64>() else { return false };
    let genuine = signature(pepper, project, experiment, expires).as_bytes().ct_eq(signed.as_bytes());
    bool::from(genuine) && now.us() / 1_000_000 < expires
}

fn signature(pepper: &Pepper, project: ProjectId, experiment: ExperimentId, expires: i64) -> String {
    hex(&pepper.sign(&format!("{project}.{experiment}.{expires}")))
}

/// The page's URL with the parameters that select an arm. Parameters that the URL already has
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
        let token = token(&pepper, ProjectId(1), ExperimentId(2), now);
        let later = |us| now.plus_us(us);
        assert!(opens(&pepper, &token, ProjectId(1), ExperimentId(2), later(LIFETIME_US - 1_000_000)));
        assert!(!opens(&pepper, &token, ProjectId(1), ExperimentId(2), later(LIFETIME_US)));
        assert!(!opens(&pepper, &token, ProjectId(1), ExperimentId(3), now));
        assert!(!opens(&pepper, &token, ProjectId(2), ExperimentId(2), now));
        assert!(!opens(&Pepper::new(&[8; 32]), &token, ProjectId(1), ExperimentId(2), now));
        for broken in ["", ".", "x.y", "99999999999999999999.00", &token[1..]] {
            assert!(!opens(&pepper, broken, ProjectId(1), ExperimentId(2), now), "{broken}");
        }
    }
}
