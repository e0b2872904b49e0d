//! Makes rows of records. No clock, no disk, no chance: the same record gives the
//! same row for ever.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use super::answer::{UNITS, VALUE_MAX};
use crate::{Kind, Properties, Record};

/// Tells how a visitor came, by the referrer and the address of the page: one of
/// `direct`, `search`, `social`, `email`, `paid` and `referral`.
pub type Source = fn(referrer: Option<&str>, page: Option<&str>) -> &'static str;

/// Bytes of an address that count.
pub(super) const URL_BYTES: usize = 2_048;
/// Bytes of a campaign's name, or of another attribute, that count.
const ATTRIBUTE_BYTES: usize = 256;
/// What a row takes of memory besides its texts, roughly.
const ROW_BYTES: usize = 160;

/// The numbers of `events.kind`. They are stored: none is ever used for another.
pub(super) mod kind {
    pub(in crate::warehouse) const PAGEVIEW: u8 = 1;
    pub(in crate::warehouse) const CLICK_ELEMENT: u8 = 2;
    pub(in crate::warehouse) const CLICK_TEXT: u8 = 3;
    /// A link that stays on the site.
    pub(in crate::warehouse) const CLICK_LINK: u8 = 4;
    /// A link that leads off the site.
    pub(in crate::warehouse) const CLICK_LINK_OUT: u8 = 5;
    pub(in crate::warehouse) const SUBMIT: u8 = 6;
    pub(in crate::warehouse) const APPEAR: u8 = 7;
    pub(in crate::warehouse) const SCROLL: u8 = 8;
    pub(in crate::warehouse) const DURATION: u8 = 9;
    pub(in crate::warehouse) const CUSTOM: u8 = 10;
    pub(in crate::warehouse) const ORDER: u8 = 11;
    pub(in crate::warehouse) const SCRIPT: u8 = 12;
}

/// Rows of some blocks of the log, in its order.
#[derive(Debug, Default)]
pub struct Rows {
    pub(super) events: Vec<EventRow>,
    pub(super) exposures: Vec<ExposureRow>,
    pub(super) urls: Vec<UrlRow>,
    /// What is in `urls`.
    told: HashSet<(u64, u64)>,
    bytes: usize,
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
    pub(super) currency: Option<String>,
    pub(super) session: Option<u64>,
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
    pub(super) session: Option<u64>,
    pub(super) url: Option<u64>,
    pub(super) device: Option<Arc<str>>,
    pub(super) browser: Option<Arc<str>>,
    pub(super) os: Option<Arc<str>>,
    pub(super) country: Option<Arc<str>>,
    pub(super) user_type: Option<&'static str>,
    pub(super) source: &'static str,
    pub(super) landing_page: Option<String>,
    pub(super) referrer: Option<String>,
    /// Source, medium, campaign.
    pub(super) utm: [Option<String>; 3],
    pub(super) seq: i64,
}

/// A row of `urls`.
#[derive(Debug)]
pub(super) struct UrlRow {
    pub(super) project: u64,
    pub(super) url: u64,
    pub(super) text: String,
}

impl Rows {
    /// Adds what `record`, from the block `seq`, is to a warehouse: nothing at all
    /// for identities, for how applying went, for what bots did besides meeting
    /// variants, and for an exposure without an experiment or with a variant's
    /// number above 255.
    pub fn add(&mut self, record: &Record, seq: i64, source: Source) {
        let (events, exposures) = (self.events.len(), self.exposures.len());
        match record.kind {
            Kind::Exposure => self.exposures.extend(exposure(record, seq, source)),
            _ if record.bot => {}
            _ => self.events.extend(event(record, seq)),
        }
        for row in &self.events[events..] {
            let text = record.url.as_deref().filter(|_| row.kind == kind::PAGEVIEW);
            if let (Some(url), Some(text)) = (row.url, text)
                && self.told.insert((row.project, url))
            {
                let text = cut(text, URL_BYTES).to_owned();
                self.bytes += ROW_BYTES + text.len();
                self.urls.push(UrlRow { project: row.project, url, text });
            }
            self.bytes += ROW_BYTES + row.name.as_ref().map_or(0, String::len);
        }
        for row in &self.exposures[exposures..] {
            let texts = row.utm.iter().chain([&row.landing_page, &row.referrer]);
            self.bytes += 2 * ROW_BYTES + texts.flatten().map(String::len).sum::<usize>();
        }
    }

    /// How many there are, without addresses.
    pub fn len(&self) -> usize {
        self.events.len() + self.exposures.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they take of memory, roughly.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Puts rows that are looked for together beside each other: the database skips
    /// rows by the bounds of groups of 122,880, and a load is rarely more than one.
    pub(super) fn sort(&mut self) {
        self.events.sort_by(|a, b| (a.project, a.kind, &a.name, a.at).cmp(&(b.project, b.kind, &b.name, b.at)));
        self.exposures.sort_by_key(|row| (row.project, row.test, row.at));
    }

    /// Removes all; the memory is kept for the next.
    pub fn clear(&mut self) {
        self.events.clear();
        self.exposures.clear();
        self.urls.clear();
        self.told.clear();
        self.bytes = 0;
    }
}

/// What a name is called in a warehouse: the first 8 bytes of its SHA-256, the
/// first of them the most significant.
pub(super) fn hash_text(text: &str) -> u64 {
    hash_bytes(text.as_bytes())
}

/// The same of an event's id, by its 16 bytes.
pub(super) fn hash_id(id: Uuid) -> u64 {
    hash_bytes(id.as_bytes())
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_be_bytes(first)
}

/// The same of an address, of which the first 2,048 bytes count.
pub(super) fn hash_url(url: &str) -> u64 {
    hash_text(cut(url, URL_BYTES))
}

/// A value in ten-thousandths, rounded half away from zero, within
/// ±[`VALUE_MAX`].
pub(super) fn fixed(value: f64) -> i64 {
    let most = VALUE_MAX as f64;
    // Exact: the bounds are integers below 2⁵³, and what is not a number is 0.
    (value * UNITS as f64).round().clamp(-most, most) as i64
}

/// Whether a link on the page `url` leads off the site: to another host. One
/// without a host (`mailto:`, `#top`) does not; on an unknown page every link with
/// a host does.
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

/// The beginning of `text`, at most `max` bytes, without half a character.
fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

fn event(record: &Record, seq: i64) -> Option<EventRow> {
    let url = record.url.as_deref();
    let kind = match record.kind {
        Kind::Exposure | Kind::Identify | Kind::Health => return None,
        Kind::Pageview => kind::PAGEVIEW,
        Kind::Click => match record.by.as_deref() {
            Some("text") => kind::CLICK_TEXT,
            Some("link") if record.href.as_deref().is_some_and(|href| leads_out(href, url)) => kind::CLICK_LINK_OUT,
            Some("link") => kind::CLICK_LINK,
            _ => kind::CLICK_ELEMENT,
        },
        Kind::Submit => kind::SUBMIT,
        Kind::Appear => kind::APPEAR,
        Kind::Scroll => kind::SCROLL,
        Kind::Duration => kind::DURATION,
        Kind::Custom => kind::CUSTOM,
        Kind::Order => kind::ORDER,
        Kind::Script => kind::SCRIPT,
    };
    let name = match kind {
        kind::CUSTOM | kind::ORDER => &record.name,
        kind::CLICK_LINK | kind::CLICK_LINK_OUT => &record.href,
        _ => &record.trigger,
    };
    Some(EventRow {
        project: hash_text(&record.project_key),
        visitor: hash_text(&record.visitor.id),
        at: record.at.us(),
        id: hash_id(record.id),
        kind,
        name: name.clone(),
        url: url.map(hash_url),
        amount: record.value.map(fixed),
        unit: record.order_id.as_deref().map(hash_text),
        currency: record.currency.clone(),
        session: record.session.as_deref().map(hash_text),
        seq,
    })
}

fn exposure(record: &Record, seq: i64, source: Source) -> Option<ExposureRow> {
    let context = &record.context;
    let url = record.url.as_deref().or_else(|| text(context, "url"));
    let landing = text(context, "landing_page").or(url);
    let referrer = text(context, "referrer").or(record.referrer.as_deref());
    Some(ExposureRow {
        project: hash_text(&record.project_key),
        test: record.test_id?,
        visitor: hash_text(&record.visitor.id),
        variant: record.variant_id.as_deref()?.parse().ok()?,
        epoch: record.epoch,
        at: record.at.us(),
        id: hash_id(record.id),
        bot: record.bot,
        session: record.session.as_deref().map(hash_text),
        url: url.map(hash_url),
        device: record.device.clone(),
        browser: record.browser.clone(),
        os: record.os.clone(),
        country: record.country.clone(),
        user_type: match text(context, "visitor_type") {
            Some("new") => Some("new"),
            Some("returning") => Some("returning"),
            _ => None,
        },
        source: source(referrer, landing),
        landing_page: landing.map(|page| {
            let end = page.find(['?', '#']).unwrap_or(page.len());
            cut(&page[..end], URL_BYTES).to_owned()
        }),
        referrer: referrer.and_then(|referrer| {
            let referrer = Url::parse(referrer).ok()?;
            Some(cut(referrer.host_str()?, ATTRIBUTE_BYTES).to_owned()).filter(|host| !host.is_empty())
        }),
        utm: ["utm_source", "utm_medium", "utm_campaign"].map(|name| {
            let told = text(context, name).map(Cow::Borrowed);
            let value = told.or_else(|| parameter(landing?, name)).or_else(|| parameter(url?, name))?;
            Some(cut(&value, ATTRIBUTE_BYTES).to_owned())
        }),
        seq,
    })
}

/// A text that says something.
fn text<'p>(properties: &'p Properties, name: &str) -> Option<&'p str> {
    properties.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The first value of this name in the query of an address that says something.
fn parameter<'u>(address: &'u str, name: &str) -> Option<Cow<'u, str>> {
    let address = address.split('#').next().unwrap_or_default();
    let (_, query) = address.split_once('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value)
}
