//! Checks whether a page is ready for experiments: whether it loads Muriel's script early enough, from which address,
//! and under which Content-Security-Policy.
//!
//! [`inspect`] is the entry point and returns a [`Report`]; nothing here prints. `fetch` is the only module that uses
//! the network. Its results are parsed (`page`, `policy`, `delivered`) and judged by pure functions: `locate`,
//! `position`, `delivery`, `rules`, `events`.

mod delivered;
mod delivery;
mod events;
mod fetch;
mod findings;
mod locate;
mod page;
mod policy;
mod position;
mod report;
mod rules;

pub use self::delivered::DeliveredScript;
pub use self::fetch::root_certificates;
pub use self::findings::{Finding, Status};
pub use self::locate::is_snippet;
pub use self::report::{FoundScript, Report};

use self::delivery::DeliveryNeeds;
use self::fetch::{Browser, Cut, HttpResponse, Resource};
use self::findings::Findings;
use self::locate::Ours;
use self::page::Page;
use self::policy::Policy;
use self::rules::Case;
use std::time::Duration;
use url::{Host, Url};

/// Page to inspect, and settings of the inspection.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// Address of the page, as [`page_address`] returns it.
    pub url: Url,
    /// Key of the project whose script the page should load; `None` accepts any project.
    pub project_key: Option<String>,
    /// Header fields for requests to the page's host and port, as names and values. Other hosts do not get them.
    pub headers: Vec<(String, String)>,
    /// Timeout for each answer.
    pub timeout: Duration,
}

/// Reason why a page could not be inspected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is not the address of a page.
    #[error("\"{0}\" is not the address of a page; try https://shop.example/")]
    InvalidAddress(String),
    /// The text is not a header field.
    #[error("must be a name and a value such as \"Authorization: Basic …\"")]
    InvalidHeader,
}

/// Parses an address that a person typed: without a scheme, https is used, and http for this machine.
///
/// # Errors
/// [`Error::InvalidAddress`] for a text that is not an address with http or https.
pub fn page_address(text: &str) -> Result<Url, Error> {
    let refuse = || Error::InvalidAddress(text.to_owned());
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let mut url = Url::parse(&whole).map_err(|_| refuse())?;
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => return Err(refuse()),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse());
    }
    if is_here && !text.contains("://") {
        url.set_scheme("http").map_err(|()| refuse())?;
    }
    url.set_fragment(None);
    Ok(url)
}

/// Parses a header field, `Name: value`, without the spaces around its name and value.
///
/// # Errors
/// [`Error::InvalidHeader`] without a colon or a name.
pub fn header_field(text: &str) -> Result<(String, String), Error> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err(Error::InvalidHeader),
    }
}

/// Fetches a page, its script and what the script needs, and reports what is right and what is not. Blocks until every
/// answer has arrived or timed out. A page that cannot be fetched is a finding too.
pub fn inspect(inspection: Inspection) -> Report {
    let Inspection { url, project_key, headers, timeout } = inspection;
    let browser = Browser::new(timeout, &url, headers);
    let mut visit = Visit { browser, wanted: project_key, findings: Findings::default(), script: None };
    let page = visit.page(&url);
    let Visit { findings, script, .. } = visit;
    Report { url, page, script, findings: findings.0 }
}

/// Inspection of one page.
struct Visit {
    browser: Browser,
    /// Key that the script should have.
    wanted: Option<String>,
    findings: Findings,
    script: Option<FoundScript>,
}

impl Visit {
    /// Inspects the page, and returns its address after redirects.
    fn page(&mut self, url: &Url) -> Option<Url> {
        let answer = match self.browser.get(url, Resource::Page, None) {
            Ok(answer) => answer,
            Err(failure) => {
                self.findings.problem("page", format!("{url} {failure}"), NOTHING_ELSE);
                return None;
            }
        };
        match html(&answer) {
            Err((message, advice)) => self.findings.problem("page", message, advice),
            Ok(page) => {
                received(&answer, &mut self.findings);
                self.install(&answer, &page);
            }
        }
        Some(answer.url)
    }

    /// Finds the script in the page, and checks everything that it needs.
    fn install(&mut self, answer: &HttpResponse, page: &Page) {
        let (at, findings) = (&answer.url, &mut self.findings);
        if let Some(refresh) = &page.refresh {
            let advice = "Check the page that it leads to; a redirect (302) is faster.";
            findings.warning("page", format!("it forwards visitors by itself (<meta> refresh, \"{refresh}\")"), advice);
        }
        let policies = rules::policies(&answer.headers, page);
        let base = page.base.as_ref().and_then(|base| at.join(base).ok()).unwrap_or_else(|| at.clone());
        let Some(mut ours) = locate::check(page, &base, self.wanted.as_deref(), findings) else { return };
        ours.url = ours.url.map(|url| upgraded(url, &policies));
        let ours = ours;
        position::check(page, &ours, findings);
        let isolation = answer.header("cross-origin-embedder-policy");
        let asked = DeliveryNeeds { is_isolated: isolation.contains("require-corp"), waits: ours.script.blocks() };
        let (script, carried) = self.script(at, page, &ours, asked);
        let findings = &mut self.findings;
        if let (Some(wanted), Some(key)) =
            (&self.wanted, ours.key.as_ref().or(carried.as_ref().map(|it| &it.project_key)))
            && wanted != key
        {
            let message = format!("the script belongs to project {key}, not {wanted}");
            findings.problem("project", message, format!("muriel project snippet {wanted} prints the right tag."));
        }
        let snippet = position::snippet(page);
        if let (Some(snippet), Some(carried)) = (snippet, &carried)
            && !snippet.text.contains(&format!("[\"{}\"]", carried.page_api))
        {
            let message = format!(
                "the lines that hide the page (line {}) are for another page API than the script's, {}",
                snippet.at.line, carried.page_api
            );
            findings.problem("project", message, "Paste them again: muriel project snippet PROJECT_KEY --async");
        }
        let mut from: Vec<&Url> =
            script.iter().flat_map(|answer| answer.redirects.iter().chain([&answer.url])).collect();
        if from.is_empty() {
            from.extend(&ours.url);
        }
        // The script knows only the address in its tag.
        let events = carried.as_ref().and_then(|carried| events::address(at, ours.url.as_ref(), carried));
        let events = events.map(|url| upgraded(url, &policies));
        let case = Case { page: at, ours: &ours, from, snippet, events: events.as_ref(), carried: carried.as_ref() };
        rules::check(&policies, &case, findings);
        if let Some(to) = &events {
            let taken = self.browser.post(to, events::NOTHING, &at.origin().ascii_serialization());
            events::check(at, to, &taken, findings);
        }
        self.script = carried.map(|contents| FoundScript { url: ours.url.clone(), contents });
    }

    /// Fetches the script, unless it is inline. Returns the answer that has it, and its contents.
    fn script(
        &mut self,
        at: &Url,
        page: &Page,
        ours: &Ours<'_>,
        asked: DeliveryNeeds,
    ) -> (Option<HttpResponse>, Option<DeliveredScript>) {
        let Some(url) = &ours.url else {
            return (None, delivery::carried(None, &ours.script.text, &mut self.findings));
        };
        delivery::origin(at, page, url, &mut self.findings);
        match self.browser.get(url, Resource::Script, Some(at)) {
            Ok(answer) => {
                let carried = delivery::script(at, ours, asked, &answer, &mut self.findings);
                (Some(answer), carried)
            }
            Err(failure) => {
                let advice = "Until this is fixed, no experiment runs, and pages may wait for the script.";
                self.findings.problem("delivery", format!("{url} {failure}"), advice);
                (None, None)
            }
        }
    }
}

/// The address that browsers request instead, if a policy says so.
fn upgraded(mut url: Url, policies: &[Policy]) -> Url {
    if !delivery::is_safe(&url) && policies.iter().any(Policy::upgrades) {
        // A change between these two schemes never fails.
        let _ = url.set_scheme("https");
    }
    url
}

const NOTHING_ELSE: &str = "Nothing else could be checked.";

/// Reads the page in an answer.
///
/// # Errors
/// The reason why there is no page for visitors, and what to do.
fn html(answer: &HttpResponse) -> Result<Page, (String, &'static str)> {
    match answer.status {
        ..300 => {}
        status @ (401 | 403) => {
            return Err((
                format!("it answers {status}"),
                "Send credentials: --header \"Authorization: …\" or --header \"Cookie: …\".",
            ));
        }
        status => return Err((format!("it answers {status}"), NOTHING_ELSE)),
    }
    let kind = answer.header("content-type");
    let mut parameters = kind.split(';').map(str::trim);
    let essence = parameters.next().unwrap_or_default().to_ascii_lowercase();
    if !matches!(essence.as_str(), "" | "text/html" | "application/xhtml+xml") {
        return Err((format!("it is {essence}, and not HTML"), NOTHING_ELSE));
    }
    let mut values = parameters.filter_map(|parameter| parameter.split_once('='));
    let charset =
        values.find(|(name, _)| name.eq_ignore_ascii_case("charset")).map(|(_, value)| value.trim_matches('"'));
    let page = Page::read(&page::decoded(&answer.body, charset));
    if page.has_elements { Ok(page) } else { Err(("there is no HTML in it".to_owned(), NOTHING_ELSE)) }
}

/// Reports a page that was received.
fn received(answer: &HttpResponse, findings: &mut Findings) {
    let sent_on = match answer.redirects.as_slice() {
        [] => String::new(),
        [from] => format!(", after a redirect from {from}"),
        [from, ..] => format!(", after {} redirects, the first from {from}", answer.redirects.len()),
    };
    let message = format!("{}, {} of HTML{sent_on}", took(answer.waited), size(answer.body.len()));
    match answer.cut {
        None => findings.ok("page", message),
        Some(Cut::Slow) => {
            let message = format!("{message}, incomplete at the timeout");
            findings.warning("page", message, "Only this part was checked; --timeout 60 waits longer.");
        }
        Some(Cut::Long) => findings.warning("page", format!("{message}, and more"), "Only this part was checked."),
        Some(Cut::Broken) => {
            let message = format!("{message}, then its connection or compression broke");
            findings.warning("page", message, "Only this part was checked.");
        }
    }
}

/// A duration in words: `under 1 ms`, `120 ms`.
fn took(time: Duration) -> String {
    match time.as_millis() {
        0 => "under 1 ms".to_owned(),
        many => format!("{many} ms"),
    }
}

/// A number of bytes in words: `812 B`, `3.4 kB`, `41 kB`.
fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..10_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        10_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_they_are_typed() {
        for (text, expect) in [
            ("shop.example", Some("https://shop.example/")),
            ("shop.example/boots?x=1#top", Some("https://shop.example/boots?x=1")),
            ("http://shop.example/", Some("http://shop.example/")),
            ("localhost:4172/boots", Some("http://localhost:4172/boots")),
            ("127.0.0.1:4172", Some("http://127.0.0.1:4172/")),
            ("[::1]:4172", Some("http://[::1]:4172/")),
            ("https://127.0.0.1:4172", Some("https://127.0.0.1:4172/")),
            ("ftp://shop.example/", None),
            ("file:///etc/passwd", None),
            ("https://", None),
            ("", None),
            ("a b", None),
        ] {
            assert_eq!(page_address(text).ok().as_ref().map(Url::as_str), expect, "{text}");
        }
    }

    #[test]
    fn header_fields() {
        assert_eq!(header_field("Cookie: a=b:c"), Ok(("Cookie".to_owned(), "a=b:c".to_owned())));
        assert!(header_field("Cookie").is_err() && header_field(": a").is_err());
    }

    #[test]
    fn sizes() {
        for (bytes, expect) in
            [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (9_999, "9.9 kB"), (41_234, "41 kB"), (16 << 20, "16.7 MB")]
        {
            assert_eq!(size(bytes), expect);
        }
    }
}
