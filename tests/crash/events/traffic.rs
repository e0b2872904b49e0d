//! What clients send: batches of events whose content follows from their ids.

use crate::http::Account;
use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use std::io::Write;
use uuid::{Builder, Uuid};

/// Projects that share ids.
pub(crate) const PROJECTS: usize = 2;
/// The most events of a batch, those that are invalid aside.
const MOST: usize = 20;

/// What an event counts once under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) project: usize,
    pub(crate) id: Uuid,
}

/// What an event has to hold: chosen by its key, so that a content which belongs to
/// another event, another project or nobody is recognised without remembering any.
pub(crate) fn content(key: Key, salt: u64) -> Map<String, Value> {
    let (high, low) = key.id.as_u64_pair();
    let mut rng = Rng::with_seed(salt ^ high.rotate_left(17) ^ low ^ (key.project as u64) << 60);
    let nonce = format!("{:016x}", rng.u64(..));
    // Texts that do not shrink, so that the files of the log fill up.
    let pad: String = (0..rng.usize(..200)).map(|_| rng.alphanumeric()).collect();
    // Quarters are exact in binary.
    let value = f64::from(rng.u32(..400)) / 4.0 + 0.25;
    let mut event = match rng.u32(..6) {
        0 => json!({ "type": "order", "name": "Purchase", "value": value, "currency": "EUR", "order_id": nonce }),
        1 => json!({ "type": "pageview", "url": format!("https://shop.example/{nonce}") }),
        2 => json!({ "type": "click", "by": "element", "trigger": format!("#b-{nonce}") }),
        3 => json!({ "type": "scroll", "value": value.min(100.0), "url": "https://shop.example/" }),
        4 => json!({ "type": "identify", "attributes": { "nonce": nonce } }),
        _ => json!({ "type": "custom", "name": nonce, "value": value }),
    };
    event["properties"] = json!({ "nonce": nonce, "pad": pad });
    match event {
        Value::Object(event) => event,
        _ => Map::new(),
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
    pub(crate) has_key: bool,
}

impl Batch {
    /// A batch of new events, now and then with one of them twice or with something
    /// invalid between them.
    pub(crate) fn new(rng: &mut Rng, now_ms: u64) -> Self {
        let count = 1 + rng.usize(..MOST);
        let mut items: Vec<Item> = (0..count).map(|_| Item::Event(id(rng, now_ms))).collect();
        if rng.u32(..16) == 0 {
            items.push(items[rng.usize(..count)].clone());
        }
        if rng.u32(..5) == 0 {
            for _ in 0..1 + rng.usize(..3) {
                items.insert(rng.usize(..=items.len()), invalid(rng, now_ms));
            }
        }
        let batch = Self { project: rng.usize(..PROJECTS), items, is_gzip: false, is_plain: false, has_key: false };
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
        self.has_key = rng.u32(..5) == 0;
        self
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        self.items.iter().filter_map(|item| match item {
            Item::Event(id) => Some(Key { project: self.project, id: *id }),
            Item::Invalid(_) => None,
        })
    }

    /// The request, written out.
    pub(crate) fn request(&self, accounts: &[Account; PROJECTS], salt: u64) -> Vec<u8> {
        let account = &accounts[self.project];
        let events: Vec<Value> = self.items.iter().map(|item| self.event(item, salt)).collect();
        let mut body = json!({ "visitor": { "id": visitor(self.project) }, "events": events }).to_string().into_bytes();
        let mut fields = String::new();
        if self.is_gzip {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            // Writing to memory does not fail; an empty body would be noticed.
            body = encoder.write_all(&body).and_then(|()| encoder.finish()).unwrap_or_default();
            fields += "content-encoding: gzip\r\n";
        }
        if self.has_key {
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

    fn event(&self, item: &Item, salt: u64) -> Value {
        match item {
            Item::Event(id) => {
                let mut event = content(Key { project: self.project, id: *id }, salt);
                event.insert("id".to_owned(), id.to_string().into());
                Value::Object(event)
            }
            Item::Invalid(value) => value.clone(),
        }
    }
}

/// The visitor of all events of a project.
pub(crate) fn visitor(project: usize) -> String {
    format!("visitor-{project}")
}

/// A new UUID v7.
fn id(rng: &mut Rng, now_ms: u64) -> Uuid {
    let mut random = [0; 10];
    rng.fill(&mut random);
    Builder::from_unix_timestamp_millis(now_ms, &random).into_uuid()
}

fn invalid(rng: &mut Rng, now_ms: u64) -> Item {
    let id = id(rng, now_ms).to_string();
    Item::Invalid(match rng.u32(..6) {
        0 => json!({ "id": id, "type": "nothing" }),
        1 => json!({ "id": id, "type": "scroll", "value": 101 }),
        2 => json!({ "id": "1", "type": "custom", "name": "x" }),
        3 => json!({ "id": id, "type": "exposure", "test_id": 999_999, "variant_id": "1" }),
        4 => json!({ "type": "custom", "name": "x" }),
        _ => json!("nothing"),
    })
}
