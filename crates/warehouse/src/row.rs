//! Converts records to rows. Deterministic: no clock, no I/O, no randomness, so the same record always gives the same
//! row.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use super::answer::{
    CLS_CAP, CLS_SCALE, ERROR_CHARS, HIDDEN_CAP_MS, INP_CAP_MS, LCP_CAP_MS, LOST_MAX, MAX_TRACKED_CHANGES, MAX_VALUE,
    VALUE_SCALE,
};
use muriel_domain::exclusion::origin_of;
use muriel_domain::referral::source_of_texts;
use muriel_log::{EventKind, Properties, Record, Rewrite, RewriteReason};

/// Maximum bytes of a URL; the rest is cut off.
pub(super) const URL_BYTES: usize = 2_048;
/// Maximum bytes of the page URL of an error.
const PAGE_BYTES: usize = 512;
/// Maximum bytes of a campaign's name or another attribute; the rest is cut off.
const ATTRIBUTE_BYTES: usize = 256;
/// Approximate memory of a row in bytes, without its texts.
const ROW_BYTES: usize = 160;

/// Values of `events.kind`. They are stored, so a number must never get another meaning.
pub(super) mod kind {
    pub(crate) const PAGEVIEW: u8 = 1;
    pub(crate) const CLICK_ELEMENT: u8 = 2;
    pub(crate) const CLICK_TEXT: u8 = 3;
    /// Click on a link to the same site.
    pub(crate) const CLICK_LINK: u8 = 4;
    /// Click on a link to another site.
    pub(crate) const CLICK_LINK_OUT: u8 = 5;
    pub(crate) const SUBMIT: u8 = 6;
    pub(crate) const APPEAR: u8 = 7;
    pub(crate) const SCROLL: u8 = 8;
    pub(crate) const DURATION: u8 = 9;
    pub(crate) const CUSTOM: u8 = 10;
    pub(crate) const ORDER: u8 = 11;
    pub(crate) const SCRIPT: u8 = 12;
    /// An order with a negative value. It only lowers revenue: it is not an order and not an action of the visitor.
    pub(crate) const REFUND: u8 = 13;
    /// Events that a page has lost; `amount` is their number. Not an action of the visitor.
    pub(crate) const LOST: u8 = 14;
}

/// Rows of some blocks of the log, in the log's order.
#[derive(Debug, Default)]
pub struct Rows {
    pub(super) events: Vec<EventRow>,
    pub(super) exposures: Vec<ExposureRow>,
    pub(super) health: Vec<HealthRow>,
    pub(super) urls: Vec<UrlRow>,
    pub(super) profiles: Vec<ProfileRow>,
    pub(super) visitors: Vec<VisitorRow>,
    pub(super) damage: Vec<DamageRow>,
    pub(super) rewrites: Vec<RewriteRow>,
    /// Keys of the rows in `urls`.
    known_urls: HashSet<(u64, u64)>,
    /// Keys of the rows in `profiles`.
    known_profiles: HashSet<(u64, u64)>,
    /// Keys of the rows in `visitors`.
    known_visitors: HashSet<(u64, u64)>,
    bytes: usize,
}

/// A row of `damage`.
#[derive(Debug)]
pub(super) struct DamageRow {
    pub(super) project: Option<u64>,
    pub(super) first: i64,
    pub(super) last: i64,
}

/// A row of `rewritten`.
#[derive(Debug)]
pub(super) struct RewriteRow {
    pub(super) project: u64,
    pub(super) seq: i64,
    pub(super) nth: i64,
    pub(super) removed: u64,
    pub(super) at: i64,
    /// True for a deletion by retention, false for the deletion of a visitor's data.
    pub(super) is_expired: bool,
}

/// A row of `events`.
#[derive(Debug)]
pub(super) struct EventRow {
    pub(super) project: u64,
    pub(super) visitor: u64,
    pub(super) at: i64,
    pub(super) id: u64,
    pub(super) kind: u8,
    pub(super) name: Option<String>,
    pub(super) url: Option<u64>,
    pub(super) amount: Option<i64>,
    pub(super) unit: Option<u64>,
    pub(super) refund_of: Option<u64>,
    pub(super) currency: Option<String>,
    pub(super) session: Option<u64>,
    pub(super) trusted: bool,
    pub(super) signed: bool,
    pub(super) seq: i64,
}

/// A row of `exposures`.
#[derive(Debug)]
pub(super) struct ExposureRow {
    pub(super) project: u64,
    pub(super) test: i64,
    pub(super) visitor: u64,
    pub(super) variant: u8,
    pub(super) epoch: Option<i64>,
    pub(super) at: i64,
    pub(super) id: u64,
    pub(super) bot: bool,
    pub(super) trusted: bool,
    pub(super) signed: bool,
    pub(super) late: bool,
    /// Hash of the network, in hexadecimal digits. `None` with a key: who has one can name any network.
    pub(super) network: Option<String>,
    pub(super) session: Option<u64>,
    pub(super) url: Option<u64>,
    /// Origin of the page.
    pub(super) origin: Option<String>,
    pub(super) profile: u64,
    pub(super) landing_page: Option<String>,
    pub(super) referrer: Option<String>,
    /// Source, medium and campaign.
    pub(super) utm: [Option<String>; 3],
    pub(super) seq: i64,
}

/// A row of `health`.
#[derive(Debug)]
pub(super) struct HealthRow {
    pub(super) project: u64,
    pub(super) test: i64,
    pub(super) visitor: u64,
    pub(super) variant: u8,
    pub(super) at: i64,
    pub(super) id: u64,
    pub(super) trusted: bool,
    pub(super) asked: i64,
    pub(super) found: i64,
    pub(super) failed: bool,
    pub(super) late: bool,
    pub(super) hidden: Option<i64>,
    pub(super) lcp: Option<i64>,
    pub(super) cls: Option<i64>,
    pub(super) inp: Option<i64>,
    pub(super) error: Option<String>,
    /// URL without query and fragment; `None` without an error, like `browser`.
    pub(super) page: Option<String>,
    pub(super) browser: Option<Arc<str>>,
    pub(super) seq: i64,
}

/// A row of `profiles`.
#[derive(Debug)]
pub(super) struct ProfileRow {
    pub(super) project: u64,
    pub(super) profile: u64,
    pub(super) device: Option<Arc<str>>,
    pub(super) browser: Option<Arc<str>>,
    pub(super) os: Option<Arc<str>>,
    pub(super) country: Option<Arc<str>>,
    pub(super) user_type: Option<&'static str>,
    pub(super) source: &'static str,
}

/// A row of `visitors`.
#[derive(Debug)]
pub(super) struct VisitorRow {
    pub(super) project: u64,
    pub(super) visitor: u64,
    pub(super) text: String,
}

/// A row of `urls`.
#[derive(Debug)]
pub(super) struct UrlRow {
    pub(super) project: u64,
    pub(super) url: u64,
    pub(super) text: String,
}

impl Rows {
    /// Adds the rows of `record`, from the block `seq`. Nothing is added for identities, for health events without a
    /// report about an arm or lost events, for events of bots other than exposures, and for exposures without an
    /// experiment or with a variant number above 255.
    pub fn add(&mut self, record: &Record, seq: i64) {
        let (events, exposures) = (self.events.len(), self.exposures.len());
        match record.kind {
            EventKind::Exposure => {
                if let Some((row, profile)) = exposure(record, seq) {
                    self.exposures.push(row);
                    if self.known_profiles.insert((profile.project, profile.profile)) {
                        self.bytes += 2 * ROW_BYTES;
                        self.profiles.push(profile);
                    }
                }
            }
            _ if record.bot => {}
            EventKind::Identify => {}
            EventKind::Health if record.is_late() => {}
            EventKind::Health => {
                let row = health(record, seq);
                let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
                self.bytes += row.as_ref().map_or(0, |row| ROW_BYTES + length(&row.error) + length(&row.page));
                self.health.extend(row);
                self.events.extend(reported_lost(record).map(|number| lost(record, number, seq)));
            }
            _ if record.is_late() => self.events.push(lost(record, 1, seq)),
            _ => self.events.extend(event(record, seq)),
        }
        for row in &self.events[events..] {
            if self.known_visitors.insert((row.project, row.visitor)) {
                let text = record.visitor.id.clone();
                self.bytes += ROW_BYTES + text.len();
                self.visitors.push(VisitorRow { project: row.project, visitor: row.visitor, text });
            }
            let text = record.url.as_deref().filter(|_| row.kind == kind::PAGEVIEW);
            if let (Some(url), Some(text)) = (row.url, text)
                && self.known_urls.insert((row.project, url))
            {
                let text = cut(text, URL_BYTES).to_owned();
                self.bytes += ROW_BYTES + text.len();
                self.urls.push(UrlRow { project: row.project, url, text });
            }
            self.bytes += ROW_BYTES + row.name.as_ref().map_or(0, String::len);
        }
        for row in &self.exposures[exposures..] {
            let texts = row.utm.iter().chain([&row.origin, &row.landing_page, &row.referrer]);
            self.bytes += 2 * ROW_BYTES + texts.flatten().map(String::len).sum::<usize>();
        }
    }

    /// Number of events, exposures and health rows.
    pub fn len(&self) -> usize {
        self.events.len() + self.exposures.len() + self.health.len()
    }

    /// Records that events of blocks cannot be read: those of one project, or all.
    pub(super) fn add_damage(&mut self, project_key: Option<&str>, first: i64, last: i64) {
        self.damage.push(DamageRow { project: project_key.map(hash_text), first, last });
    }

    /// Records a deletion of events from a block.
    pub(super) fn add_rewrite(&mut self, seq: i64, rewrite: &Rewrite) {
        self.rewrites.push(RewriteRow {
            project: hash_text(&rewrite.project_key),
            seq,
            nth: rewrite.nth,
            removed: rewrite.removed,
            at: rewrite.at.us(),
            is_expired: rewrite.reason == RewriteReason::Retention,
        });
    }

    /// Returns whether there are no events, exposures and health rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Approximate memory of the rows, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Sorts rows by the columns that questions filter by. The database skips row groups of 122,880 rows by their
    /// bounds, and a load rarely has more rows than one group.
    pub fn sort(&mut self) {
        self.events.sort_by(|a, b| (a.project, a.kind, &a.name, a.at).cmp(&(b.project, b.kind, &b.name, b.at)));
        self.exposures.sort_by_key(|row| (row.project, row.test, row.at));
        self.health.sort_by_key(|row| (row.project, row.test, row.at));
    }

    /// Removes all rows and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.events.clear();
        self.exposures.clear();
        self.health.clear();
        self.urls.clear();
        self.profiles.clear();
        self.visitors.clear();
        self.damage.clear();
        self.rewrites.clear();
        self.known_urls.clear();
        self.known_profiles.clear();
        self.known_visitors.clear();
        self.bytes = 0;
    }
}

/// Hash that identifies a text in a warehouse: the first 8 bytes of its SHA-256, big-endian.
pub(super) fn hash_text(text: &str) -> u64 {
    hash_bytes(text.as_bytes())
}

/// Hash of an event's id, from its 16 bytes; see [`hash_text`].
pub(super) fn hash_id(id: Uuid) -> u64 {
    hash_bytes(id.as_bytes())
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_be_bytes(first)
}

/// Hash of a URL, from its first 2,048 bytes; see [`hash_text`].
pub(super) fn hash_url(url: &str) -> u64 {
    hash_text(cut(url, URL_BYTES))
}

/// Converts a value to ten-thousandths, rounded half away from zero, within ±[`MAX_VALUE`].
pub(super) fn fixed(value: f64) -> i64 {
    let most = MAX_VALUE as f64;
    // The cast is exact: the bounds are integers below 2⁵³, and NaN becomes 0.
    (value * VALUE_SCALE as f64).round().clamp(-most, most) as i64
}

/// Returns whether a link on the page `url` leads to another host. A link without a host (`mailto:`, `#top`) does not;
/// on an unknown page every link with a host does.
pub(super) fn leads_out(href: &str, url: Option<&str>) -> bool {
    let page = url.and_then(|url| Url::parse(url).ok());
    let target = match &page {
        Some(page) => page.join(href),
        None => Url::parse(href),
    };
    let Ok(target) = target else { return false };
    let host = target.host_str();
    host.is_some() && page.as_ref().and_then(Url::host_str) != host
}

/// Cuts `text` to at most `max` bytes, at a character boundary.
fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

fn event(record: &Record, seq: i64) -> Option<EventRow> {
    let url = record.url.as_deref();
    let kind = match record.kind {
        EventKind::Exposure | EventKind::Identify | EventKind::Health => return None,
        EventKind::Pageview => kind::PAGEVIEW,
        EventKind::Click => match record.by.as_deref() {
            Some("text") => kind::CLICK_TEXT,
            Some("link") if record.href.as_deref().is_some_and(|href| leads_out(href, url)) => kind::CLICK_LINK_OUT,
            Some("link") => kind::CLICK_LINK,
            _ => kind::CLICK_ELEMENT,
        },
        EventKind::Submit => kind::SUBMIT,
        EventKind::Appear => kind::APPEAR,
        EventKind::Scroll => kind::SCROLL,
        EventKind::Duration => kind::DURATION,
        EventKind::Custom => kind::CUSTOM,
        EventKind::Order if record.value.is_some_and(|value| value < 0.0) => kind::REFUND,
        EventKind::Order => kind::ORDER,
        EventKind::Script => kind::SCRIPT,
    };
    let name = match kind {
        kind::CUSTOM | kind::ORDER | kind::REFUND => &record.name,
        kind::CLICK_LINK | kind::CLICK_LINK_OUT => &record.href,
        _ => &record.trigger,
    };
    // A refund that names no other order refunds the order with its own number. There may be several such refunds.
    let (unit, refund_of) = match (kind, &record.refund_of, &record.order_id) {
        (kind::REFUND, Some(order), own) => (own.as_ref().filter(|own| *own != order), Some(order)),
        (kind::REFUND, None, own) => (None, own.as_ref()),
        (_, _, own) => (own.as_ref(), None),
    };
    Some(EventRow {
        project: hash_text(&record.project_key),
        visitor: hash_text(&record.visitor.id),
        at: record.at.us(),
        id: hash_id(record.id),
        kind,
        name: name.clone(),
        url: url.map(hash_url),
        amount: match kind {
            // Marks a submit that the page has prevented.
            kind::SUBMIT => (record.properties.get("prevented") == Some(&Value::Bool(true))).then_some(VALUE_SCALE),
            _ => record.value.map(fixed),
        },
        unit: unit.map(|number| hash_text(number)),
        refund_of: refund_of.map(|number| hash_text(number)),
        currency: record.currency.clone(),
        session: record.session.as_deref().map(hash_text),
        trusted: record.vouched,
        signed: record.signed,
        seq,
    })
}

/// Number of events that a page has lost, as a health event reports it.
fn reported_lost(record: &Record) -> Option<i64> {
    // The cast is exact: the bound is a small integer, and NaN becomes 0.
    let number = record.dropped?.round().clamp(0.0, LOST_MAX as f64) as i64;
    (number > 0).then_some(number)
}

/// Row for events that are lost: reported by a health event, or late.
fn lost(record: &Record, number: i64, seq: i64) -> EventRow {
    EventRow {
        project: hash_text(&record.project_key),
        visitor: hash_text(&record.visitor.id),
        at: record.at.us(),
        id: hash_id(record.id),
        kind: kind::LOST,
        name: None,
        url: None,
        amount: Some(number),
        unit: None,
        refund_of: None,
        currency: None,
        session: None,
        trusted: record.vouched,
        signed: record.signed,
        seq,
    }
}

/// Hash of a visitor's id or a network in answers and [exclusions](super::Exclusion): 16 hexadecimal digits.
pub fn hash_of(text: &str) -> String {
    format!("{:016x}", hash_text(text))
}

/// Hash that identifies a profile: over its texts, each with its length, so that different profiles have different
/// inputs.
fn hash_profile(texts: [Option<&str>; 6]) -> u64 {
    let mut bytes = Vec::with_capacity(128);
    for text in texts {
        // No text has the length that marks a missing one.
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        bytes.extend(length.to_be_bytes());
        bytes.extend(text.unwrap_or_default().as_bytes());
    }
    hash_bytes(&bytes)
}

/// Row of a health event, if it reports about a page with an arm. Change letters become bits; measures become integers
/// limited to their caps.
fn health(record: &Record, seq: i64) -> Option<HealthRow> {
    let (mut asked, mut found) = (0, 0);
    let letters = record.changes.as_deref().unwrap_or_default().bytes();
    for (bit, letter) in letters.take(MAX_TRACKED_CHANGES).enumerate() {
        asked |= i64::from(letter != b'-') << bit;
        found |= i64::from(letter == b'1') << bit;
    }
    let is_some = |number: Option<f64>| number.is_some_and(|number| number > 0.0);
    // The cast is exact: the caps are small integers, and NaN becomes 0.
    let measured = |number: Option<f64>, scale: f64, cap: i64| {
        number.map(|number| (number * scale).round().clamp(0.0, cap as f64) as i64)
    };
    let failed = is_some(record.errors);
    let error = record.error_message.as_deref().filter(|_| failed).map(plain);
    let row = HealthRow {
        project: hash_text(&record.project_key),
        test: record.test_id?,
        visitor: hash_text(&record.visitor.id),
        variant: record.variant_id.as_deref()?.parse().ok()?,
        at: record.at.us(),
        id: hash_id(record.id),
        trusted: record.vouched,
        asked,
        found,
        failed,
        late: is_some(record.late),
        hidden: measured(record.hidden_ms, 1.0, HIDDEN_CAP_MS),
        lcp: measured(record.lcp_ms, 1.0, LCP_CAP_MS),
        cls: measured(record.cls, CLS_SCALE as f64, CLS_CAP),
        inp: measured(record.inp_ms, 1.0, INP_CAP_MS),
        page: record.url.as_deref().filter(|_| error.is_some()).map(page),
        browser: record.browser.clone().filter(|_| error.is_some()),
        error,
        seq,
    };
    let is_report = asked != 0 || row.failed || row.late;
    (is_report || [row.hidden, row.lcp, row.cls, row.inp].iter().any(Option::is_some)).then_some(row)
}

/// Makes an error message printable: at most [`ERROR_CHARS`] characters, with a blank for each character that is not
/// printable or changes the text direction.
pub(super) fn plain(message: &str) -> String {
    let is_unseen = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    message.chars().take(ERROR_CHARS).map(|letter| if is_unseen(letter) { ' ' } else { letter }).collect()
}

/// Page of a URL: without query and fragment, which differ by visitor.
pub(super) fn page(url: &str) -> String {
    cut(url.split(['?', '#']).next().unwrap_or_default(), PAGE_BYTES).to_owned()
}

fn exposure(record: &Record, seq: i64) -> Option<(ExposureRow, ProfileRow)> {
    let context = &record.context;
    let url = record.url.as_deref().or_else(|| text(context, "url"));
    let landing = text(context, "landing_page").or(url);
    let referrer = text(context, "referrer").or(record.referrer.as_deref());
    let project = hash_text(&record.project_key);
    let user_type = match text(context, "visitor_type") {
        Some("new") => Some("new"),
        Some("returning") => Some("returning"),
        _ => None,
    };
    let utm = ["utm_source", "utm_medium", "utm_campaign"].map(|name| {
        let given = text(context, name).map(Cow::Borrowed);
        given.or_else(|| parameter(landing?, name)).or_else(|| parameter(url?, name))
    });
    // Uses the same fields as a breakdown, so a visitor from a paid medium matches the filter for it.
    let source = source_of_texts(referrer, landing, utm[1].as_deref()).word();
    let [device, browser, os, country] = [&record.device, &record.browser, &record.os, &record.country];
    let profile = hash_profile([
        device.as_deref(),
        browser.as_deref(),
        os.as_deref(),
        country.as_deref(),
        user_type,
        Some(source),
    ]);
    let row = ExposureRow {
        project,
        test: record.test_id?,
        visitor: hash_text(&record.visitor.id),
        variant: record.variant_id.as_deref()?.parse().ok()?,
        epoch: record.epoch,
        at: record.at.us(),
        id: hash_id(record.id),
        bot: record.bot,
        trusted: record.vouched,
        signed: record.signed,
        late: record.is_late(),
        network: record.network.as_deref().filter(|_| !record.vouched).map(hash_of),
        session: record.session.as_deref().map(hash_text),
        url: url.map(hash_url),
        origin: url.and_then(origin_of).map(|origin| cut(&origin, ATTRIBUTE_BYTES).to_owned()),
        profile,
        landing_page: landing.map(|page| {
            let end = page.find(['?', '#']).unwrap_or(page.len());
            cut(&page[..end], URL_BYTES).to_owned()
        }),
        referrer: referrer.and_then(|referrer| {
            let referrer = Url::parse(referrer).ok()?;
            Some(cut(referrer.host_str()?, ATTRIBUTE_BYTES).to_owned()).filter(|host| !host.is_empty())
        }),
        utm: utm.map(|value| Some(cut(&value?, ATTRIBUTE_BYTES).to_owned())),
        seq,
    };
    let profile = ProfileRow {
        project,
        profile,
        device: device.clone(),
        browser: browser.clone(),
        os: os.clone(),
        country: country.clone(),
        user_type,
        source,
    };
    Some((row, profile))
}

/// A property that is a non-empty text.
fn text<'p>(properties: &'p Properties, name: &str) -> Option<&'p str> {
    properties.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// First non-empty value of this name in the query of a URL.
fn parameter<'u>(address: &'u str, name: &str) -> Option<Cow<'u, str>> {
    let address = address.split('#').next().unwrap_or_default();
    let (_, query) = address.split_once('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(fields: Value) -> Record {
        let mut record = json!({
            "id": "0195a2b4-7d3e-7c11-9f60-2b8f1f0e6a55", "project_key": "shop", "at": "2026-03-01T10:00:00Z",
            "received_at": "2026-03-01T10:00:01Z", "visitor": {"id": "v"}, "bot": false,
        });
        record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value(record).unwrap()
    }

    fn rows(fields: Value) -> Rows {
        let mut rows = Rows::default();
        rows.add(&record(fields), 7);
        rows
    }

    #[test]
    fn hashes_are_those_of_every_version() {
        // From `printf shop | sha256sum`, and from the 16 bytes of the id.
        assert_eq!(hash_text("shop"), 0x8d90_01d3_2c6a_703d);
        assert_eq!(hash_text(""), 0xe3b0_c442_98fc_1c14);
        let id = Uuid::parse_str("0195a2b4-7d3e-7c11-9f60-2b8f1f0e6a55").unwrap();
        assert_eq!(hash_id(id), 0xcd36_dbbc_1508_1ce9);
    }

    #[test]
    fn values_are_in_ten_thousandths() {
        for (value, expect) in [
            (0.0, 0),
            (59.9, 599_000),
            (0.1 + 0.2, 3_000),
            (-0.00005, -1),
            (0.000049, 0),
            (1e15, MAX_VALUE),
            (-1e300, -MAX_VALUE),
            (1e11, MAX_VALUE),
        ] {
            assert_eq!(fixed(value), expect, "{value}");
        }
    }

    #[test]
    fn links_lead_off_the_site_to_other_hosts() {
        let page = Some("https://shop.example/a/b?c");
        for (href, page, expect) in [
            ("https://away.example/", page, true),
            ("//away.example/x", page, true),
            ("HTTPS://SHOP.EXAMPLE/", page, false),
            ("http://shop.example:8080/", page, false),
            ("https://help.shop.example/", page, true),
            ("/x", page, false),
            ("x?https://away.example/", page, false),
            ("#https://away.example/", page, false),
            ("mailto:a@away.example", page, false),
            ("javascript:void(0)", page, false),
            ("https://", page, false),
            ("https://away.example/", None, true),
            ("/x", None, false),
            ("https://away.example/", Some("no address"), true),
        ] {
            assert_eq!(leads_out(href, page), expect, "{href} on {page:?}");
        }
    }

    #[test]
    fn each_kind_of_event_has_a_number_and_a_name() {
        use kind::*;
        let url = "https://shop.example/";
        let link = |href| json!({"type": "click", "by": "link", "href": href, "url": url});
        for (fields, expect) in [
            (json!({"type": "pageview", "url": url}), Some((PAGEVIEW, None))),
            (json!({"type": "click", "by": "element", "trigger": "#buy"}), Some((CLICK_ELEMENT, Some("#buy")))),
            (json!({"type": "click", "by": "text", "trigger": "Buy"}), Some((CLICK_TEXT, Some("Buy")))),
            (link("/cart"), Some((CLICK_LINK, Some("/cart")))),
            (link("https://a.example/"), Some((CLICK_LINK_OUT, Some("https://a.example/")))),
            (json!({"type": "submit", "trigger": "form"}), Some((SUBMIT, Some("form")))),
            (json!({"type": "appear", "trigger": "#x"}), Some((APPEAR, Some("#x")))),
            (json!({"type": "scroll", "value": 50}), Some((SCROLL, None))),
            (json!({"type": "duration", "value": 10}), Some((DURATION, None))),
            (json!({"type": "custom", "name": "signup"}), Some((CUSTOM, Some("signup")))),
            (json!({"type": "order", "name": "Purchase", "value": 1}), Some((ORDER, Some("Purchase")))),
            (json!({"type": "script", "trigger": "t"}), Some((SCRIPT, Some("t")))),
            (json!({"type": "identify"}), None),
            (json!({"type": "health", "test_id": 1, "variant_id": "0"}), None),
            (json!({"type": "custom", "name": "signup", "bot": true}), None),
        ] {
            let rows = rows(fields.clone());
            let found = rows.events.first().map(|row| (row.kind, row.name.as_deref()));
            assert_eq!((found, rows.exposures.len()), (expect, 0), "{fields}");
        }
    }

    #[test]
    fn health_is_kept_in_integers_within_bounds() {
        let health = |fields: Value| {
            let mut all = json!({"type": "health", "test_id": 12, "variant_id": "1"});
            all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            rows(all).health.pop()
        };
        let row = health(json!({
            "errors": 2, "late": 0, "hidden_ms": 12.4, "lcp_ms": 1832.5, "cls": 0.03125, "inp_ms": 88, "changes": "10-1",
        }));
        let row = row.unwrap();
        assert_eq!((row.asked, row.found, row.failed, row.late), (0b1011, 0b1001, true, false));
        assert_eq!((row.hidden, row.lcp, row.cls, row.inp), (Some(12), Some(1_833), Some(313), Some(88)));
        let row = health(json!({"lcp_ms": 3.6e6, "cls": 9e3, "inp_ms": 1e9, "hidden_ms": 1e9})).unwrap();
        assert_eq!((row.lcp, row.cls, row.inp), (Some(LCP_CAP_MS), Some(CLS_CAP), Some(INP_CAP_MS)));
        assert_eq!((row.hidden, row.asked, row.failed), (Some(HIDDEN_CAP_MS), 0, false));
        // An error's message is stored in printable form, with its page and browser.
        let long = "é".repeat(300);
        let row_of = |errors: u32, message: &str| {
            health(json!({
                "errors": errors, "error_message": message, "browser": "safari", "url": "https://shop.example/a?email=b#c", "late": 1,
            }))
            .unwrap()
        };
        let row = row_of(1, "a\u{7}b\u{202e}c\nd");
        assert_eq!((row.error.as_deref(), row.browser.as_deref()), (Some("a b c d"), Some("safari")));
        assert_eq!(row.page.as_deref(), Some("https://shop.example/a"));
        assert_eq!(row_of(1, &long).error.unwrap().chars().count(), ERROR_CHARS);
        let row = row_of(0, "nothing failed");
        assert_eq!((row.error, row.page, row.browser), (None, None, None));
        // A report without information about an arm makes no row.
        for nothing in [
            json!({}),
            json!({"integrations": "ga4"}),
            json!({"errors": 0, "late": 0, "changes": "--"}),
            json!({"lcp_ms": 1, "test_id": null}),
            json!({"lcp_ms": 1, "variant_id": "256"}),
            json!({"lcp_ms": 1, "bot": true}),
        ] {
            assert!(health(nothing.clone()).is_none(), "{nothing}");
        }
    }

    #[test]
    fn what_a_page_lost_or_prevented_is_kept_as_a_number() {
        let lost = |dropped: Value| {
            let rows = rows(json!({"type": "health", "dropped": dropped}));
            assert_eq!(rows.health.len(), 0);
            rows.events.iter().map(|row| (row.kind, row.amount)).collect::<Vec<_>>()
        };
        assert_eq!(lost(json!(3)), [(kind::LOST, Some(3))]);
        assert_eq!(lost(json!(1e9)), [(kind::LOST, Some(LOST_MAX))]);
        assert_eq!((lost(json!(0)), lost(json!(null))), (vec![], vec![]));
        for (properties, expect) in [
            (json!({"prevented": true}), Some(VALUE_SCALE)),
            (json!({"prevented": false}), None),
            (json!({"prevented": "true"}), None),
            (json!({}), None),
        ] {
            let rows = rows(json!({"type": "submit", "trigger": "#f", "properties": properties}));
            assert_eq!((rows.events[0].kind, rows.events[0].amount), (kind::SUBMIT, expect), "{properties}");
        }
    }

    #[test]
    fn an_event_keeps_what_is_counted() {
        let rows = rows(json!({
            "type": "order", "name": "Purchase", "value": 59.9, "currency": "EUR", "order_id": "A-77",
            "session": "s", "url": "https://shop.example/thanks",
        }));
        let row = &rows.events[0];
        assert_eq!((row.project, row.visitor), (hash_text("shop"), hash_text("v")));
        assert_eq!((row.at, row.seq), (1_772_359_200_000_000, 7));
        assert_eq!((row.amount, row.currency.as_deref()), (Some(599_000), Some("EUR")));
        assert_eq!((row.unit, row.session), (Some(hash_text("A-77")), Some(hash_text("s"))));
        assert_eq!(row.url, Some(hash_text("https://shop.example/thanks")));
        // A URL is stored only for page views, because only their questions use it.
        assert!(rows.urls.is_empty());
    }

    #[test]
    fn addresses_are_cut_where_a_character_ends() {
        let url = format!("https://shop.example/{}", "ü".repeat(2000));
        let mut rows = rows(json!({"type": "pageview", "url": url}));
        let row = &rows.urls[0];
        assert_eq!((row.text.len(), &*row.text), (2_047, &url[..2_047]));
        assert_eq!((row.url, Some(row.url)), (hash_url(&url), rows.events[0].url));
        let longer = record(json!({"type": "pageview", "url": format!("{url}x")}));
        rows.add(&longer, 8);
        assert_eq!((rows.events.len(), rows.urls.len()), (2, 1));
        rows.clear();
        rows.add(&longer, 9);
        assert_eq!((rows.events.len(), rows.urls.len()), (1, 1));
    }

    #[test]
    fn a_profile_is_told_once() {
        let mut rows = Rows::default();
        let add = |rows: &mut Rows, fields: Value| {
            let mut all = json!({"type": "exposure", "test_id": 12, "variant_id": "1"});
            all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            rows.add(&record(all), 7);
            (rows.exposures.len(), rows.profiles.len())
        };
        // Each profile differs from the ones before it, and repeating it adds no row.
        for (fields, number) in [
            (json!({}), 1),
            (json!({"device": ""}), 2),
            (json!({"device": "a", "browser": "b"}), 3),
            (json!({"device": "ab"}), 4),
            (json!({"browser": "ab"}), 5),
            (json!({"os": "ab"}), 6),
            (json!({"device": "ab", "project_key": "other"}), 7),
        ] {
            assert_eq!(add(&mut rows, fields.clone()), (2 * number - 1, number), "{fields}");
            assert_eq!(add(&mut rows, fields.clone()), (2 * number, number), "{fields}");
        }
        rows.clear();
        assert_eq!(add(&mut rows, json!({})), (1, 1));
    }

    #[test]
    fn an_exposure_keeps_how_things_were() {
        let exposure = |fields: Value| {
            let mut all = json!({"type": "exposure", "test_id": 12, "variant_id": "1", "epoch": 3});
            all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            let mut rows = rows(all);
            let profile = rows.profiles.pop();
            assert_eq!(rows.exposures.first().map(|row| row.profile), profile.as_ref().map(|profile| profile.profile));
            rows.exposures.pop().zip(profile)
        };
        let (row, profile) = exposure(json!({
            "device": "mobile", "browser": "chrome", "os": "Android", "country": "DE", "session": "s", "bot": true,
            "url": "https://shop.example/b?utm_source=later&utm_medium=mail",
            "context": {
                "referrer": "https://news.example/x", "visitor_type": "new", "utm_campaign": "told",
                "landing_page": "https://shop.example/a?utm_source=first%20one&utm_campaign=c#utm_medium=x",
            },
        }))
        .unwrap();
        assert_eq!((row.test, row.variant, row.epoch, row.bot, row.seq), (12, 1, Some(3), true, 7));
        let known = [&profile.device, &profile.browser, &profile.os, &profile.country].map(|text| text.as_deref());
        assert_eq!(known, [Some("mobile"), Some("chrome"), Some("Android"), Some("DE")]);
        assert_eq!((profile.user_type, profile.source), (Some("new"), "email"), "by the medium of the page");
        assert_eq!(row.landing_page.as_deref(), Some("https://shop.example/a"));
        assert_eq!(row.referrer.as_deref(), Some("news.example"));
        assert_eq!(row.utm.each_ref().map(|text| text.as_deref()), [Some("first one"), Some("mail"), Some("told")]);

        let (row, profile) =
            exposure(json!({"context": {"url": "https://shop.example/?a=b", "visitor_type": "?"}})).unwrap();
        assert_eq!((profile.user_type, profile.source, row.referrer), (None, "direct", None));
        assert_eq!(row.landing_page.as_deref(), Some("https://shop.example/"));
        assert_eq!(row.url, Some(hash_text("https://shop.example/?a=b")));
        let (row, profile) = exposure(json!({"epoch": null})).unwrap();
        assert_eq!((row.epoch, profile.source, row.landing_page, row.url), (None, "direct", None, None));

        assert!(exposure(json!({"variant_id": "255"})).is_some());
        assert!(exposure(json!({"variant_id": "256"})).is_none());
        assert!(exposure(json!({"variant_id": null})).is_none());
        assert!(exposure(json!({"test_id": null})).is_none());
    }
}
