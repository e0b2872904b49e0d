//! Traffic of the clients: batches of events whose content is derived from their ids.

use crate::http::Account;
use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;
use muriel_domain::Instant;
use serde_json::{Map, Value, json};
use std::io::Write;
use uuid::{Builder, Uuid};

/// Number of projects. They use the same ids.
pub(crate) const PROJECTS: usize = 2;
/// Number of arms of a project's experiment, with the control.
pub(crate) const ARMS: usize = 3;
/// Name of the event that is the goal of the experiments.
pub(crate) const GOAL: &str = "bought";
/// Maximum number of events in a batch, without repeated and invalid ones.
const MAX_BATCH_EVENTS: usize = 20;
/// Number of visitors of a project.
const VISITORS: u16 = 40_000;
/// Key of an event: events with the same key count once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EventKey {
    pub(crate) project: usize,
    pub(crate) id: Uuid,
}

impl EventKey {
    /// Number of the visitor. It is a part of the id, and also determines the arm.
    pub(crate) fn visitor(self) -> u16 {
        let bytes = self.id.as_bytes();
        u16::from_be_bytes([bytes[14], bytes[15]])
    }

    /// Returns whether the event is sent with an API key. An event that was sent both with
    /// and without a key counts as keyed, so the id determines it, and repeats do the same.
    pub(crate) fn has_api_key(self) -> bool {
        self.id.as_bytes()[13].is_multiple_of(4)
    }

    /// Arm that the visitor is in; 0 is the control.
    pub(crate) fn arm(self) -> usize {
        usize::from(self.visitor()) % ARMS
    }
}

/// Role of an event in the experiment of its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The visitor meets the variant, at this time.
    Exposure(Instant),
    /// The visitor does what the goal counts, at this time.
    Conversion(Instant),
    /// No role. The number selects the content.
    Other(u32),
}

/// Parameters from which contents are derived.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Recipe {
    /// Makes contents differ from those of other runs.
    pub(crate) salt: u64,
    /// The experiment of each project.
    pub(crate) tests: [i64; PROJECTS],
    /// Time by which all of them had started, in milliseconds since 1970. Events of an
    /// earlier time do not count.
    pub(crate) began_ms: i64,
}

impl Recipe {
    /// Role of an event, without the rest of its content.
    pub(crate) fn role(&self, key: EventKey) -> Role {
        self.drawn(key).0
    }

    /// Role of an event, and the generator for the rest of its content.
    fn drawn(&self, key: EventKey) -> (Role, Rng) {
        let (high, low) = key.id.as_u64_pair();
        let mut rng = Rng::with_seed(self.salt ^ high.rotate_left(17) ^ low ^ (key.project as u64) << 60);
        // Between the start of the experiments and the creation of the event.
        let made_ms = i64::try_from(high >> 16).unwrap_or(i64::MAX);
        let at = Instant::from_us(1_000 * rng.i64(self.began_ms..=made_ms.max(self.began_ms)));
        let role = match rng.u32(..8) {
            6 => Role::Exposure(at),
            7 => Role::Conversion(at),
            other => Role::Other(other),
        };
        (role, rng)
    }

    /// Content of an event. It is derived from the key, so that content of another event,
    /// of another project or of no event is recognised without storing any.
    pub(crate) fn content(&self, key: EventKey) -> Map<String, Value> {
        let (role, mut rng) = self.drawn(key);
        let nonce = format!("{:016x}", rng.u64(..));
        // Text that does not compress, so that the files of the log fill up.
        let pad: String = (0..rng.usize(..200)).map(|_| rng.alphanumeric()).collect();
        // Quarters are exact in binary.
        let value = f64::from(rng.u32(..400)) / 4.0 + 0.25;
        let test_id = self.tests[key.project];
        let mut event = match role {
            Role::Exposure(at) => {
                json!({ "type": "exposure", "test_id": test_id, "variant_id": key.arm().to_string(), "at": at })
            }
            Role::Conversion(at) => json!({ "type": "custom", "name": GOAL, "at": at }),
            Role::Other(0) => {
                json!({ "type": "order", "name": "Purchase", "value": value, "currency": "EUR", "order_id": nonce })
            }
            Role::Other(1) => json!({ "type": "pageview", "url": format!("https://shop.example/{nonce}") }),
            Role::Other(2) => json!({ "type": "click", "by": "element", "trigger": format!("#b-{nonce}") }),
            Role::Other(3) => json!({ "type": "scroll", "value": value.min(100.0), "url": "https://shop.example/" }),
            Role::Other(4) => json!({ "type": "identify", "attributes": { "nonce": nonce } }),
            Role::Other(_) => json!({ "type": "custom", "name": nonce, "value": value }),
        };
        event["properties"] = json!({ "nonce": nonce, "pad": pad });
        match event {
            Value::Object(event) => event,
            _ => Map::new(),
        }
    }
}

/// One entry of a batch.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Event(Uuid),
    /// An invalid event, which must be refused and never be stored.
    Invalid(Value),
}

/// Events of one request, and how they are sent.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) project: usize,
    pub(crate) items: Vec<Item>,
    pub(crate) is_gzip: bool,
    pub(crate) is_plain: bool,
}

impl Batch {
    /// Creates a batch of new events. Sometimes one of them is repeated, or invalid ones
    /// are between them.
    pub(crate) fn new(rng: &mut Rng, now_ms: u64) -> Self {
        let count = 1 + rng.usize(..MAX_BATCH_EVENTS);
        let (sender, visitor) = (rng.u8(..), rng.u16(..VISITORS));
        let mut items: Vec<Item> = (0..count).map(|_| Item::Event(id(rng, now_ms, sender, visitor))).collect();
        if rng.u32(..16) == 0 {
            items.push(items[rng.usize(..count)].clone());
        }
        if rng.u32(..5) == 0 {
            for _ in 0..1 + rng.usize(..3) {
                items.insert(rng.usize(..=items.len()), invalid(rng, now_ms));
            }
        }
        let batch = Self { project: rng.usize(..PROJECTS), items, is_gzip: false, is_plain: false };
        batch.sent_otherwise(rng)
    }

    /// Copies the batch to another project, where the same ids are other events.
    pub(crate) fn in_other_project(&self) -> Self {
        Self { project: (self.project + 1) % PROJECTS, ..self.clone() }
    }

    /// Chooses another encoding and media type for the same events, as a repeat may have.
    pub(crate) fn sent_otherwise(mut self, rng: &mut Rng) -> Self {
        self.is_gzip = rng.u32(..3) == 0;
        self.is_plain = rng.u32(..4) == 0;
        self
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = EventKey> {
        self.items.iter().filter_map(|item| match item {
            Item::Event(id) => Some(EventKey { project: self.project, id: *id }),
            Item::Invalid(_) => None,
        })
    }

    /// Serializes the request. All its events belong to one visitor.
    pub(crate) fn request(&self, accounts: &[Account; PROJECTS], recipe: &Recipe) -> Vec<u8> {
        let account = &accounts[self.project];
        let events: Vec<Value> = self.items.iter().map(|item| self.event(item, recipe)).collect();
        let visitor = self.keys().next().map(visitor);
        let mut body = json!({ "visitor": { "id": visitor }, "events": events }).to_string().into_bytes();
        let mut fields = String::new();
        if self.is_gzip {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            // Writing to memory does not fail; an empty body would be noticed.
            body = encoder.write_all(&body).and_then(|()| encoder.finish()).unwrap_or_default();
            fields += "content-encoding: gzip\r\n";
        }
        if self.keys().next().is_some_and(EventKey::has_api_key) {
            fields += &format!("authorization: Bearer {}\r\n", account.api_key);
        }
        let media = if self.is_plain { "text/plain;charset=UTF-8" } else { "application/json" };
        let mut request = format!(
            "POST /events/{} HTTP/1.1\r\nhost: crash\r\nuser-agent: crash\r\ncontent-type: {media}\r\n{fields}\
             content-length: {}\r\n\r\n",
            account.project_key,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(&body);
        request
    }

    fn event(&self, item: &Item, recipe: &Recipe) -> Value {
        match item {
            Item::Event(id) => {
                let mut event = recipe.content(EventKey { project: self.project, id: *id });
                event.insert("id".to_owned(), id.to_string().into());
                Value::Object(event)
            }
            Item::Invalid(value) => value.clone(),
        }
    }
}

/// Id of the visitor of an event.
pub(crate) fn visitor(key: EventKey) -> String {
    format!("visitor-{}-{}", key.project, key.visitor())
}

/// Creates a UUID v7 that ends with the numbers of its sender and visitor.
fn id(rng: &mut Rng, now_ms: u64, sender: u8, visitor: u16) -> Uuid {
    let mut random = [0; 10];
    rng.fill(&mut random[..7]);
    random[7] = sender;
    random[8..].copy_from_slice(&visitor.to_be_bytes());
    Builder::from_unix_timestamp_millis(now_ms, &random).into_uuid()
}

fn invalid(rng: &mut Rng, now_ms: u64) -> Item {
    let id = id(rng, now_ms, 0, 0).to_string();
    Item::Invalid(match rng.u32(..6) {
        0 => json!({ "id": id, "type": "nothing" }),
        1 => json!({ "id": id, "type": "scroll", "value": 101 }),
        2 => json!({ "id": "1", "type": "custom", "name": "x" }),
        3 => json!({ "id": id, "type": "exposure", "test_id": 999_999, "variant_id": "1" }),
        4 => json!({ "type": "custom", "name": "x" }),
        _ => json!("nothing"),
    })
}
