//! Compression ahead of requests: what pages asked for of one delivery is made of the next when that is written.

use super::{Delivery, Encoded, Encoding, Slot};
use crate::script::Mount;
use crate::site::Site;
use std::sync::{Arc, PoisonError};

/// What somebody has asked for of a project's deliveries.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    forms: Vec<Form>,
}

/// One compressed body.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Ruleset(Encoding),
    /// By a path, of a server with these names.
    Script(Mount, Encoding, Arc<Site>),
}

/// The forms of a body that somebody has asked for.
fn asked(body: &Encoded) -> impl Iterator<Item = Encoding> {
    let forms = [(&body.brotli, Encoding::Brotli), (&body.gzip, Encoding::Gzip)];
    forms.into_iter().filter(|(cell, _)| cell.initialized()).map(|(_, encoding)| encoding)
}

impl Wanted {
    /// Adds what was asked for of a delivery. At most six forms are there: each
    /// is an encoding of one of three bodies.
    fn add(&mut self, delivery: &Delivery) {
        let ruleset = asked(&delivery.body).map(Form::Ruleset);
        let scripts = delivery.scripts.iter().zip([Mount::Root, Mount::Prefix]).filter_map(|(cell, under)| {
            let script = cell.get()?;
            Some(asked(&script.body).map(move |encoding| Form::Script(under, encoding, script.site.clone())))
        });
        for form in ruleset.chain(scripts.flatten()) {
            if !self.forms.contains(&form) {
                self.forms.push(form);
            }
        }
    }
}

impl Slot {
    /// Makes of `after`, which was swapped in, what was asked for of `before` and
    /// earlier deliveries. One at a time: of several writes in a row, the last.
    pub(super) fn warm(self: &Arc<Self>, before: &Delivery, after: Arc<Delivery>) {
        let forms = {
            let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            wanted.add(before);
            wanted.forms.clone()
        };
        if forms.is_empty() {
            return;
        }
        let slot = self.clone();
        tokio::spawn(async move {
            let _turn = slot.warming.lock().await;
            for form in forms {
                let is_current = Arc::ptr_eq(&slot.now.read().unwrap_or_else(PoisonError::into_inner), &after);
                if !is_current {
                    return;
                }
                match form {
                    Form::Ruleset(encoding) => drop(after.body.compressed(encoding).await),
                    Form::Script(under, encoding, site) => {
                        // Whoever asks for it is told why it cannot be made.
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
    use crate::script::{Guards, ScriptSettings};
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
            Guards::default(),
        ))
    }

    /// Swaps a delivery in, as a write does.
    fn swap(slot: &Arc<Slot>, after: &Arc<Delivery>) {
        let before = std::mem::replace(&mut *slot.now.write().unwrap(), after.clone());
        slot.warm(&before, after.clone());
    }

    fn made(delivery: &Delivery) -> [usize; 3] {
        let scripts =
            delivery.scripts.each_ref().map(|cell| cell.get().map_or(0, |script| asked(&script.body).count()));
        [asked(&delivery.body).count(), scripts[0], scripts[1]]
    }

    #[tokio::test]
    async fn what_was_asked_for_is_made_of_the_next_delivery_before_anybody_asks() {
        let [first, second, third, fourth] = [1, 2, 3, 4].map(delivery);
        let slot = Arc::new(Slot::new(first.clone()));
        swap(&slot, &second);
        tokio::task::yield_now().await;
        assert_eq!(made(&second), [0, 0, 0], "nobody asked for anything");

        let site = Arc::new(Site::default());
        second.script(&site, Mount::Root).await.unwrap().body.compressed(Encoding::Gzip).await;
        // The one in between is passed over, and what was asked for is not forgotten.
        swap(&slot, &third);
        swap(&slot, &fourth);
        while made(&fourth) != [0, 1, 0] {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(made(&third), [0, 0, 0], "it was current for no request");
    }
}
