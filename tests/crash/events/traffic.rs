//! What clients send: batches of events whose content follows from their ids.

use crate::http::Account;
use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;
use muriel_domain::Instant;
use serde_json::{Map, Value, json};
use std::io::Write;
use uuid::{Builder, Uuid};

/// Projects that share ids.
pub(crate) const PROJECTS: usize = 2;
/// Arms of the experiment of a project, the control first.
pub(crate) const ARMS: usize = 3;
/// The event that is the goal of the experiments.
pub(crate) const GOAL: &str = "bought";
/// The most events of a batch, those that are invalid aside.
const MAX_BATCH_EVENTS: usize = 20;
/// Visitors of a project.
const VISITORS: u16 = 40_000;
/// What an event counts once under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EventKey {
    pub(crate) project: usize,
    pub(crate) id: Uuid,
}

impl EventKey {
    /// Who did it: a number that is in the id, and also tells the arm.
    pub(crate) fn visitor(self) -> u16 {
        let bytes = self.id.as_bytes();
        u16::from_be_bytes([bytes[14], bytes[15]])
    }

    /// Whether it is sent with an API key. An event that was sent with one and without
    /// is counted as with one, so the id says which, and a repeat keeps to it.
    pub(crate) fn has_api_key(self) -> bool {
        self.id.as_bytes()[13].is_multiple_of(4)
    }

    /// The arm that the visitor is in.
    pub(crate) fn arm(self) -> usize {
        usize::from(self.visitor()) % ARMS
    }
}

/// What an event is to the experiment of its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The visitor meets the variant, at this time.
    Exposure(Instant),
    /// The visitor does what the goal counts, at this time.
    Conversion(Instant),
    /// Nothing; which of the other contents it has.
    Other(u32),
}

/// What contents are made of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Recipe {
    /// Makes contents unlike those of another run.
    pub(crate) salt: u64,
    /// The experiment of each project.
    pub(crate) tests: [i64; PROJECTS],
    /// When all of them had started, in milliseconds since 1970: what is told of an
    /// earlier moment does not count.
    pub(crate) began_ms: i64,
}

impl Recipe {
    /// What an event is, without the rest of its content.
    pub(crate) fn role(&self, key: EventKey) -> Role {
        self.drawn(key).0
    }

    /// The role, and where the rest of the content is drawn from.
    fn drawn(&self, key: EventKey) -> (Role, Rng) {
        let (high, low) = key.id.as_u64_pair();
        let mut rng = Rng::with_seed(self.salt ^ high.rotate_left(17) ^ low ^ (key.project as u64) << 60);
        // Between the start of the experiments and the making of the event.
        let made_ms = i64::try_from(high >> 16).unwrap_or(i64::MAX);
        let at = Instant::from_us(1_000 * rng.i64(self.began_ms..=made_ms.max(self.began_ms)));
        let role = match rng.u32(..8) {
            6 => Role::Exposure(at),
            7 => Role::Conversion(at),
            other => Role::Other(other),
        };
        (role, rng)
    }

    /// What an event has to hold: chosen by its key, so that a content which belongs to
    /// another event, another project or nobody is recognised without remembering any.
    pub(crate) fn content(&self, key: EventKey) -> Map<String, Value> {
        let (role, mut rng) = self.drawn(key);
        let nonce = format!("{:016x}", rng.u64(..));
        // Texts that do not shrink, so that the files of the log fill up.
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
    /// Something that must be refused, and never be stored.
    Invalid(Value),
}

/// What is sent with one request.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) project: usize,
    pub(crate) items: Vec<Item>,
    pub(crate) is_gzip: bool,
    pub(crate) is_plain: bool,
}

impl Batch {
    /// A batch of new events, now and then with one of them twice or with something
    /// invalid between them.
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

    /// The same entries in another project, where they are other events.
    pub(crate) fn in_other_project(&self) -> Self {
        Self { project: (self.project + 1) % PROJECTS, ..self.clone() }
    }

    /// The same events on another way, as a repeat may take.
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

    /// The request, written out. All its events are one visitor's.
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

/// The visitor of an event.
pub(crate) fn visitor(key: EventKey) -> String {
    format!("visitor-{}-{}", key.project, key.visitor())
}

/// A new UUID v7 that ends with a number of its sender and the visitor.
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
