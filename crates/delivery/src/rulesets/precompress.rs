//! Compression ahead of requests. As soon as a delivery is current, its bodies are compressed in the
//! encodings that were requested from earlier ones, so that no visitor waits for compression.

use super::{Delivery, Encoded, Encoding, ProjectSlot};
use crate::script::Mount;
use crate::site::Site;
use std::sync::{Arc, PoisonError};

/// Compressed bodies that were requested from a project's deliveries.
#[derive(Debug, Default)]
pub(super) struct RequestedBodies(Vec<CompressedBody>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum CompressedBody {
    Ruleset(Encoding),
    /// The script for a path of a server with these names.
    Script(Mount, Encoding, Arc<Site>),
}

/// Encodings in which a body was requested.
fn requested_encodings(body: &Encoded) -> impl Iterator<Item = Encoding> {
    let forms = [(&body.brotli, Encoding::Brotli), (&body.gzip, Encoding::Gzip)];
    forms.into_iter().filter(|(cell, _)| cell.initialized()).map(|(_, encoding)| encoding)
}

impl RequestedBodies {
    /// Adds the compressed bodies that were requested from a delivery. There are at most
    /// six: two encodings of three bodies.
    fn add(&mut self, delivery: &Delivery) {
        let ruleset = requested_encodings(&delivery.body).map(CompressedBody::Ruleset);
        let scripts = delivery.scripts.iter().zip([Mount::Root, Mount::Prefix]).filter_map(|(cell, under)| {
            let script = cell.get()?;
            Some(
                requested_encodings(&script.body)
                    .map(move |encoding| CompressedBody::Script(under, encoding, script.site.clone())),
            )
        });
        for body in ruleset.chain(scripts.flatten()) {
            if !self.0.contains(&body) {
                self.0.push(body);
            }
        }
    }
}

impl ProjectSlot {
    /// Compresses the bodies of the current delivery `after` in the encodings that were requested from
    /// `before` or earlier deliveries. After several writes in a row, only those of the last are compressed.
    pub(super) fn precompress(self: &Arc<Self>, before: &Delivery, after: Arc<Delivery>) {
        let bodies = {
            let mut requested = self.precompressed.lock().unwrap_or_else(PoisonError::into_inner);
            requested.add(before);
            requested.0.clone()
        };
        if bodies.is_empty() {
            return;
        }
        let slot = self.clone();
        tokio::spawn(async move {
            let _turn = slot.precompressing.lock().await;
            for body in bodies {
                let is_current = Arc::ptr_eq(&slot.current.read().unwrap_or_else(PoisonError::into_inner), &after);
                if !is_current {
                    return;
                }
                match body {
                    CompressedBody::Ruleset(encoding) => drop(after.body.compressed(encoding).await),
                    CompressedBody::Script(under, encoding, site) => {
                        // A request for the script reports the error.
                        if let Ok(script) = after.script(&site, under).await {
                            drop(script.body.compressed(encoding).await);
                        }
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{LoopGuards, ScriptSettings};
    use muriel_assign::Document;
    use muriel_domain::ids::{CompanyId, ProjectId};
    use muriel_store::tenants::Project;
    use std::collections::HashMap;
    use std::time::Duration;

    fn delivery(version: i64) -> Arc<Delivery> {
        let project = Project { id: ProjectId(1), company_id: CompanyId(7), key: "prj_1".into(), name: "Shop".into() };
        let document = Document::new("prj_1", Vec::new(), Vec::new());
        Arc::new(Delivery::new(
            Arc::new(project),
            document,
            ScriptSettings::default(),
            HashMap::new(),
            version,
            LoopGuards::default(),
        ))
    }

    /// Swaps a delivery in, as a write does.
    fn swap(slot: &Arc<ProjectSlot>, after: &Arc<Delivery>) {
        let before = std::mem::replace(&mut *slot.current.write().unwrap(), after.clone());
        slot.precompress(&before, after.clone());
    }

    fn made(delivery: &Delivery) -> [usize; 3] {
        let scripts = delivery
            .scripts
            .each_ref()
            .map(|cell| cell.get().map_or(0, |script| requested_encodings(&script.body).count()));
        [requested_encodings(&delivery.body).count(), scripts[0], scripts[1]]
    }

    #[tokio::test]
    async fn what_was_asked_for_is_made_of_the_next_delivery_before_anybody_asks() {
        let [first, second, third, fourth] = [1, 2, 3, 4].map(delivery);
        let slot = Arc::new(ProjectSlot::new(first.clone()));
        swap(&slot, &second);
        tokio::task::yield_now().await;
        assert_eq!(made(&second), [0, 0, 0], "nobody asked for anything");

        let site = Arc::new(Site::default());
        second.script(&site, Mount::Root).await.unwrap().body.compressed(Encoding::Gzip).await;
        // The delivery in between is skipped, and the requested bodies stay known.
        swap(&slot, &third);
        swap(&slot, &fourth);
        while made(&fourth) != [0, 1, 0] {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(made(&third), [0, 0, 0], "it was current for no request");
    }
}
