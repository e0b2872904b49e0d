//! Events of a visit: pages, clicks, orders.

use super::chance::Chance;
use super::page::Pages;
use super::people::Person;
use crate::data::Project;
use muriel_domain::Instant;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use uuid::Uuid;

const JOURNAL: &str = "https://journal.northwind-outdoor.example";

/// A visit at its beginning, with the facts that decisions need.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) project: Project,
    /// Origin of the shop.
    shop: Arc<str>,
    pub(super) person: Person,
    pub(super) at: Instant,
    pub(super) returning: bool,
    landing: String,
    referrer: &'static str,
    utm: Vec<(&'static str, &'static str)>,
    /// Pages after the first, as paths without the origin.
    pages: Vec<&'static str>,
    chance: Chance,
}

/// Decision for a visit about an experiment that it takes part in.
#[derive(Debug, Clone)]
pub(super) struct MetExperiment<'t> {
    pub(super) test_id: i64,
    pub(super) experiment_key: &'t str,
    /// Address or pattern of the pages that it changes.
    pub(super) page: &'t str,
    pub(super) variant_id: String,
    pub(super) epoch: i64,
    /// Address to which the variant redirects.
    pub(super) leads: Option<&'t str>,
    /// Number of changes that the variant makes to a page.
    pub(super) changes: usize,
}

/// Effect of a variant on visitors. Variants that are not listed have none.
struct Effect {
    experiment_key: &'static str,
    variant_id: &'static str,
    /// Factors for the shares of visitors who add to the basket, buy, and download.
    basket: f64,
    buy: f64,
    download: f64,
    /// Share of the arm's visitors whose exposures get lost.
    lost: f64,
}

static NOTHING: Effect = NONE;
const NONE: Effect = Effect { experiment_key: "", variant_id: "", basket: 1.0, buy: 1.0, download: 1.0, lost: 0.0 };

/// The comparison wins, the socks lose exposures, and the row of promises has no
/// effect.
static EFFECTS: [Effect; 4] = [
    Effect { experiment_key: "compare-table", variant_id: "1", basket: 1.4, buy: 1.15, ..NONE },
    Effect { experiment_key: "sock-bundle", variant_id: "2", lost: 0.18, ..NONE },
    Effect { experiment_key: "home-hero", variant_id: "3", basket: 1.2, ..NONE },
    Effect { experiment_key: "route-map-first", variant_id: "1", download: 1.25, ..NONE },
];

const SHOP_LANDINGS: [(u32, &str); 7] = [
    (32, "/"),
    (26, "/stoves"),
    (18, "/boots/granite-mid"),
    (10, "/jackets/stormline-shell"),
    (6, "/rental"),
    (4, "/gifts"),
    (4, "/tents/tarn-2"),
];
const SHOP_PAGES: [(u32, &str); 7] = [
    (24, "/stoves"),
    (24, "/boots/granite-mid"),
    (14, "/jackets/stormline-shell"),
    (12, "/packs/saddle-45"),
    (10, "/tents/tarn-2"),
    (10, "/sleeping-bags/lyra-400"),
    (6, "/"),
];
const JOURNAL_LANDINGS: [(u32, &str); 6] = [
    (30, "/routes/kungsleden-north"),
    (18, "/stories/nine-kilograms"),
    (16, "/"),
    (14, "/stories/winter-on-the-ridge"),
    (12, "/routes/besseggen"),
    (10, "/stories/the-hut-keeper"),
];
/// Referrer, and the parameters that campaigns add to the address.
type Source = (&'static str, &'static [(&'static str, &'static str)]);
const SOURCES: [(u32, Source); 6] = [
    (34, ("https://www.google.com/", &[])),
    (28, ("", &[])),
    (14, ("", &[("utm_source", "sunday-letter"), ("utm_medium", "email"), ("utm_campaign", "first-nights")])),
    (
        12,
        (
            "https://www.google.com/",
            &[("utm_source", "google"), ("utm_medium", "cpc"), ("utm_campaign", "gift-season")],
        ),
    ),
    (8, ("https://www.instagram.com/", &[("utm_source", "instagram"), ("utm_medium", "social")])),
    (4, ("https://www.fjellforum.example/tents", &[])),
];
const PRICES: [(u32, f64); 7] = [(18, 17.0), (22, 49.0), (20, 89.0), (16, 129.0), (12, 189.0), (8, 240.0), (4, 349.0)];

impl Visit {
    /// Creates the visit of a person that begins at this time; `shop` is the origin of
    /// the shop.
    pub(super) fn new(
        project: Project,
        shop: &Arc<str>,
        person: Person,
        at: Instant,
        returning: bool,
        mut chance: Chance,
    ) -> Self {
        let shop = shop.clone();
        let (site, path) = match project {
            Project::Shop => (&*shop, *chance.pick(&SHOP_LANDINGS)),
            Project::Journal => (JOURNAL, *chance.pick(&JOURNAL_LANDINGS)),
        };
        let (referrer, utm) = *chance.pick(&SOURCES);
        let query: Vec<String> = utm.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let landing =
            if query.is_empty() { format!("{site}{path}") } else { format!("{site}{path}?{}", query.join("&")) };
        let mut pages = Vec::new();
        while pages.len() < 5 && chance.is(0.55) {
            pages.push(match project {
                Project::Shop => *chance.pick(&SHOP_PAGES),
                Project::Journal => *chance.pick(&JOURNAL_LANDINGS),
            });
        }
        Self { project, shop, person, at, returning, landing, referrer, utm: utm.to_vec(), pages, chance }
    }

    fn visitor_type(&self) -> &'static str {
        if self.returning { "returning" } else { "new" }
    }

    /// Context with which a server requests decisions.
    pub(super) fn context(&self) -> Value {
        let mut context = json!({
            "targetingKey": self.person.id,
            "country": self.person.country,
            "device": self.person.agent.device,
            "browser": self.person.agent.browser,
            "os": self.person.agent.os,
            "language": self.person.language,
            "visitor_type": self.visitor_type(),
            "url": self.landing,
            "referrer": self.referrer,
            "member": self.person.member,
        });
        if let (Project::Shop, Value::Object(context)) = (self.project, &mut context) {
            // A visitor has no events before the visit begins.
            context.insert("events".to_owned(), json!([]));
        }
        context
    }

    /// The visitor in the form in which a trusted server sends it.
    pub(super) fn as_json(&self) -> Value {
        json!({
            "id": self.person.id,
            "user_agent": self.person.agent.header,
            "country": self.person.country,
            "attributes": { "member": self.person.member, "language": self.person.language },
        })
    }

    /// All events in order, and the time at which the visit is over.
    pub(super) fn events(self, met: &[MetExperiment<'_>]) -> (Vec<Value>, Instant) {
        let site = if self.project == Project::Shop { &*self.shop } else { JOURNAL };
        let mut story = Story {
            at: self.at,
            session: format!("s-{:08x}", self.chance.clone().below(1 << 32)),
            chance: self.chance.clone(),
            events: Vec::with_capacity(12),
        };
        let staying: Vec<&MetExperiment<'_>> = met.iter().filter(|met| self.person.luck >= effect(met).lost).collect();
        let mut rest = staying.clone();
        let mut views = Pages::new(&self.person, &self.chance);
        let pages: Vec<String> = std::iter::once(self.landing.clone())
            .chain(self.pages.iter().map(|path| format!("{site}{path}")))
            .collect();
        let mut referrer = self.referrer.to_owned();
        for url in &pages {
            story.page(url, &referrer);
            // In a split test the variants are on other pages, so it has no changes
            // here.
            let here = || staying.iter().copied().filter(|met| met.leads.is_none() && is_on(met.page, url));
            let first: Vec<i64> = rest.iter().filter(|met| is_on(met.page, url)).map(|met| met.test_id).collect();
            rest.retain(|met| {
                let here = is_on(met.page, url);
                if here {
                    self.expose(&mut story, met, url);
                }
                if let (true, Some(leads)) = (here, met.leads) {
                    let query = url.split_once('?').map(|(_, query)| format!("?{query}")).unwrap_or_default();
                    story.page(&format!("{leads}{query}"), url);
                }
                !here
            });
            story.end_page(url, views.health_events(&here().collect::<Vec<_>>(), &first));
            match self.project {
                Project::Shop => self.look_at(&mut story, url),
                Project::Journal => self.read(&mut story, url, met),
            }
            referrer = url.clone();
        }
        if self.project == Project::Shop {
            self.shop(&mut story, &pages, met);
        }
        (story.events, story.at)
    }

    fn expose(&self, story: &mut Story, met: &MetExperiment<'_>, url: &str) {
        let mut context = Map::from_iter([
            ("url".to_owned(), url.into()),
            ("referrer".to_owned(), self.referrer.into()),
            ("landing_page".to_owned(), self.landing.split('?').next().unwrap_or_default().into()),
            ("visitor_type".to_owned(), self.visitor_type().into()),
        ]);
        context.extend(self.utm.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())));
        story.add(json!({
            "type": "exposure",
            "test_id": met.test_id,
            "variant_id": met.variant_id,
            "epoch": met.epoch,
            "url": url,
            "context": context,
        }));
    }

    /// Adds the events on a page of the shop.
    fn look_at(&self, story: &mut Story, url: &str) {
        let path = url.strip_prefix(&*self.shop).unwrap_or_default();
        if path.matches('/').count() > 1 && !path.starts_with("/rental/") {
            let price = *story.chance.pick(&PRICES);
            story.add(
                json!({ "type": "custom", "name": "product_viewed", "url": url, "properties": { "price": price } }),
            );
            if story.chance.is(0.12) {
                story.add(json!({ "type": "appear", "trigger": "#size-guide", "url": url }));
            }
        } else if story.chance.is(0.15) {
            story.add(json!({ "type": "custom", "name": "search_submitted", "url": url }));
        }
    }

    /// Adds the events from the basket to the order, as far as the visitor gets.
    fn shop(&self, story: &mut Story, pages: &[String], met: &[MetExperiment<'_>]) {
        let factor = |of: fn(&Effect) -> f64| {
            // A variant affects only visitors who saw its page.
            let seen = met.iter().filter(|met| pages.iter().any(|url| is_on(met.page, url)));
            seen.map(|met| of(effect(met))).product::<f64>()
        };
        let loyal = if self.returning { 1.4 } else { 1.0 };
        let shop = &*self.shop;
        let last = pages.last().map_or(shop, String::as_str).to_owned();
        if !story.chance.is(0.12 * self.person.keen * loyal * factor(|effect| effect.basket)) {
            return;
        }
        story.add(json!({ "type": "click", "by": "element", "trigger": "button.add-to-basket", "url": last }));
        if !story.chance.is(0.62) {
            return;
        }
        story.page(&format!("{shop}/basket"), &last);
        story.page(&format!("{shop}/checkout"), &format!("{shop}/basket"));
        if !story.chance.is(0.6 * factor(|effect| effect.buy)) {
            return;
        }
        let (price, quantity) = (*story.chance.pick(&PRICES), 1 + story.chance.below(5) / 4);
        let order_id = format!("A-{:07}", story.chance.below(10_000_000));
        let bundled = met.iter().any(|met| met.experiment_key == "sock-bundle" && met.variant_id == "1");
        if bundled && story.chance.is(0.2) {
            story.add(json!({ "type": "custom", "name": "bundle_removed", "url": format!("{shop}/checkout") }));
        }
        story.add(json!({
            "type": "order",
            "name": "Purchase",
            "value": price * quantity as f64,
            "currency": "EUR",
            "order_id": order_id,
            "quantity": quantity,
            "url": format!("{shop}/checkout/thanks"),
        }));
        if story.chance.is(0.03) {
            story.page(&format!("{shop}/orders/cancelled"), &format!("{shop}/account"));
        }
    }

    /// Adds the events on a page of the journal.
    fn read(&self, story: &mut Story, url: &str, met: &[MetExperiment<'_>]) {
        let (keen, path) = (self.person.keen, url.strip_prefix(JOURNAL).unwrap_or_default());
        let depth = ((25.0 + 75.0 * story.chance.share()) * (0.7 + 0.3 * keen)).min(100.0).round();
        let seconds = (20.0 + 300.0 * story.chance.share() * keen).round();
        story.add(json!({ "type": "scroll", "value": depth, "url": url }));
        story.add(json!({ "type": "duration", "value": seconds, "url": url }));
        if story.chance.is(0.02 * keen) {
            story.add(json!({ "type": "submit", "trigger": "form.sunday-letter", "url": url }));
        }
        if story.chance.is(0.03 * keen) {
            story.add(json!({ "type": "click", "by": "link", "href": format!("{}/rental", self.shop), "url": url }));
        }
        let route = path.split('?').next().and_then(|path| path.strip_prefix("/routes/"));
        let easier = met.iter().map(|met| effect(met).download).product::<f64>();
        if let Some(route) = route.filter(|_| story.chance.is(0.09 * keen * easier)) {
            story.page(&format!("{JOURNAL}/routes/{route}.gpx"), url);
        }
    }
}

/// Price of a random product of the shop.
pub(super) fn price(chance: &mut Chance) -> f64 {
    *chance.pick(&PRICES)
}

fn effect(met: &MetExperiment<'_>) -> &'static Effect {
    let of = EFFECTS.iter().find(|it| it.experiment_key == met.experiment_key && it.variant_id == met.variant_id);
    of.unwrap_or(&NOTHING)
}

/// Returns whether an experiment changes a page: `page` is its address, or a pattern
/// that ends with an asterisk.
fn is_on(page: &str, url: &str) -> bool {
    let url = url.split('?').next().unwrap_or_default();
    match page.strip_suffix('*') {
        Some(beginning) => url.starts_with(beginning),
        None => url == page,
    }
}

/// Collects the events of a visit.
struct Story {
    at: Instant,
    session: String,
    chance: Chance,
    events: Vec<Value>,
}

impl Story {
    fn page(&mut self, url: &str, referrer: &str) {
        if !self.events.is_empty() {
            self.at = self.at.plus_us(self.chance.between(3_000_000, 40_000_000));
        }
        self.add(json!({ "type": "pageview", "url": url, "referrer": referrer }));
    }

    /// Adds the events that a page sends at its end. They take no time.
    fn end_page(&mut self, url: &str, events: Vec<Value>) {
        // These ids come from their own generator, so that the rest of the visit is the
        // same with and without them.
        let mut ids = Chance::of(&[9, self.chance.clone().below(u64::MAX)]);
        for mut event in events {
            event["url"] = url.into();
            let id = ids.id(self.at);
            self.push(event, id);
        }
    }

    fn add(&mut self, event: Value) {
        self.at = self.at.plus_us(self.chance.between(100_000, 3_000_000));
        let id = self.chance.id(self.at);
        self.push(event, id);
    }

    fn push(&mut self, mut event: Value, id: Uuid) {
        if let Value::Object(event) = &mut event {
            event.insert("id".to_owned(), id.to_string().into());
            event.insert("at".to_owned(), self.at.to_string().into());
            event.insert("session".to_owned(), self.session.as_str().into());
        }
        self.events.push(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_match_as_experiments_name_them() {
        for (page, url, expect) in [
            ("https://shop.example/stoves", "https://shop.example/stoves?utm_source=x", true),
            ("https://shop.example/stoves", "https://shop.example/stoves/tiny", false),
            ("https://shop.example/*", "https://shop.example/", true),
            ("https://shop.example/routes/*", "https://shop.example/stories/x", false),
        ] {
            assert_eq!(is_on(page, url), expect, "{page} {url}");
        }
    }

    #[test]
    fn a_visit_is_the_same_for_the_same_seed() {
        let visit = || {
            let person = Person::new(7, Project::Shop, 3);
            Visit::new(
                Project::Shop,
                &"http://shop.example".into(),
                person,
                Instant::from_us(1_000_000_000),
                false,
                Chance::of(&[7, 2]),
            )
        };
        let (events, over) = visit().events(&[]);
        assert_eq!((&events, over), (&visit().events(&[]).0, over));
        assert_eq!(events[0]["type"], "pageview");
    }
}
