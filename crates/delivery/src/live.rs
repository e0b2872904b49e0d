//! Live events of single visitors, for people who watch them.
//!
//! Events are passed to listeners once they are durable. Each listener has a bounded queue: a reader
//! that is too slow misses events and learns how many; nothing waits for it. Listeners belong to this
//! node, and get the events that it accepts.

use muriel_domain::ids::CompanyId;
use muriel_log::AppendOutcome;
use muriel_store::tenants::Project;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Most listeners of all companies.
const LISTENERS_MAX: usize = 200;
/// Most listeners of one company.
const PER_COMPANY_MAX: usize = 40;
/// Most listeners of one project.
const PER_PROJECT_MAX: usize = 20;
/// Listeners reserved for companies that have none yet, so that a few companies cannot use all of them.
const RESERVED_FOR_FIRST: usize = 40;
/// Most events that wait for one listener.
const QUEUE_MAX: usize = 256;

/// Listeners for live events of visitors.
#[derive(Debug, Default)]
pub struct LiveListeners {
    /// Listeners by project key.
    listeners: Mutex<HashMap<Arc<str>, Vec<Listener>>>,
    number: AtomicUsize,
    next: AtomicU64,
    is_stopped: AtomicBool,
}

/// Reason why a further listener is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRoom {
    /// The project has the maximum number of listeners.
    #[error("{PER_PROJECT_MAX} visitors of this project are already watched; close a live view of it")]
    OfProject,
    /// The projects of the company together have the maximum number of listeners.
    #[error("{PER_COMPANY_MAX} visitors are already watched in the projects of this company; close a live view of it")]
    OfCompany,
    /// The server has the maximum number of listeners, or is stopping.
    #[error("too many visitors are watched on this server")]
    OnServer,
}

#[derive(Debug)]
struct Listener {
    id: u64,
    company: CompanyId,
    visitor: String,
    queue: mpsc::Sender<Arc<Value>>,
    missed: Arc<AtomicU64>,
}

/// The receiving end of a listener, which is removed when this is dropped.
#[derive(Debug)]
pub struct Subscription {
    listeners: Arc<LiveListeners>,
    project_key: Arc<str>,
    id: u64,
    queue: mpsc::Receiver<Arc<Value>>,
    missed: Arc<AtomicU64>,
}

impl Subscription {
    /// Returns the next event as stored; `None` once the server stops.
    pub async fn next(&mut self) -> Option<Arc<Value>> {
        self.queue.recv().await
    }

    /// Returns the number of events missed since the last call.
    pub fn missed(&self) -> u64 {
        self.missed.swap(0, Ordering::Relaxed)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut listeners = self.listeners.lock();
        if let Some(of_project) = listeners.get_mut(&self.project_key) {
            let before = of_project.len();
            of_project.retain(|listener| listener.id != self.id);
            self.listeners.number.fetch_sub(before - of_project.len(), Ordering::Relaxed);
            if of_project.is_empty() {
                listeners.remove(&self.project_key);
            }
        }
    }
}

impl LiveListeners {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Arc<str>, Vec<Listener>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to listen to a visitor of a project.
    ///
    /// # Errors
    /// Too many listeners, or the server is stopping.
    pub fn subscribe(self: &Arc<Self>, project: &Project, visitor: &str) -> Result<Subscription, NoRoom> {
        let mut listeners = self.lock();
        if self.is_stopped.load(Ordering::Relaxed) {
            return Err(NoRoom::OnServer);
        }
        let project_key: Arc<str> = project.key.as_str().into();
        let of_project = listeners.get(&project_key).map_or(0, Vec::len);
        let company = project.company_id;
        let of_company = listeners.values().flatten().filter(|listener| listener.company == company).count();
        let room = LISTENERS_MAX - if of_company > 0 { RESERVED_FOR_FIRST } else { 0 };
        if of_project >= PER_PROJECT_MAX {
            return Err(NoRoom::OfProject);
        }
        if of_company >= PER_COMPANY_MAX {
            return Err(NoRoom::OfCompany);
        }
        if self.number.load(Ordering::Relaxed) >= room {
            return Err(NoRoom::OnServer);
        }
        let (sender, queue) = mpsc::channel(QUEUE_MAX);
        let (id, missed) = (self.next.fetch_add(1, Ordering::Relaxed), Arc::new(AtomicU64::new(0)));
        let listener = Listener { id, company, visitor: visitor.to_owned(), queue: sender, missed: missed.clone() };
        listeners.entry(project_key.clone()).or_default().push(listener);
        self.number.fetch_add(1, Ordering::Relaxed);
        Ok(Subscription { listeners: self.clone(), project_key, id, queue, missed })
    }

    /// Returns whether anybody listens to a visitor of the project. Takes no lock while nobody listens at all.
    pub fn wants(&self, project_key: &str) -> bool {
        self.number.load(Ordering::Relaxed) > 0 && self.lock().contains_key(project_key)
    }

    /// Passes durable events to the listeners: lines of JSON with the outcome of each.
    pub fn publish(&self, project_key: &str, lines: &[u8], taken: &[AppendOutcome]) {
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        for (line, taken) in lines.zip(taken) {
            if *taken != AppendOutcome::Stored {
                continue;
            }
            let Ok(event) = serde_json::from_slice::<Value>(line) else { continue };
            let event = Arc::new(event);
            let visitor = event["visitor"]["id"].as_str().unwrap_or_default();
            let listeners = self.lock();
            let of_project = listeners.get(project_key).map_or(&[][..], Vec::as_slice);
            for listener in of_project.iter().filter(|listener| listener.visitor == visitor) {
                if listener.queue.try_send(event.clone()).is_err() {
                    listener.missed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }

    /// Ends all subscriptions, and refuses new ones.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.lock().clear();
        self.number.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::ids::ProjectId;

    fn lines(visitors: &[&str]) -> Vec<u8> {
        let line = |visitor: &&str| format!("{{\"visitor\":{{\"id\":\"{visitor}\"}}}}\n");
        visitors.iter().map(line).collect::<String>().into_bytes()
    }

    fn project(company: i64, key: &str) -> Project {
        Project { id: ProjectId(1), company_id: CompanyId(company), key: key.to_owned(), name: String::new() }
    }

    /// Subscribes until a subscription is refused, and returns the reason too.
    fn fill(live: &Arc<LiveListeners>, company: i64, key: &str) -> (Vec<Subscription>, NoRoom) {
        let mut of_project = Vec::new();
        loop {
            match live.subscribe(&project(company, key), "a") {
                Ok(subscription) => of_project.push(subscription),
                Err(why) => return (of_project, why),
            }
        }
    }

    #[tokio::test]
    async fn a_listener_gets_its_visitor_and_no_repeats() {
        let live = Arc::new(LiveListeners::default());
        assert!(!live.wants("shop"));
        let mut listening = live.subscribe(&project(1, "shop"), "a").unwrap();
        assert!(live.wants("shop") && !live.wants("blog"));
        let taken = [AppendOutcome::Stored, AppendOutcome::Repeated, AppendOutcome::Stored];
        live.publish("shop", &lines(&["a", "a", "b"]), &taken);
        live.publish("blog", &lines(&["a"]), &taken[..1]);
        assert_eq!(listening.next().await.unwrap()["visitor"]["id"], "a");
        live.stop();
        assert!(listening.next().await.is_none(), "there was one, and the server stops");
        assert_eq!(live.subscribe(&project(1, "shop"), "a").unwrap_err(), NoRoom::OnServer);
    }

    #[tokio::test]
    async fn a_slow_reader_misses_events_and_holds_up_nobody() {
        let live = Arc::new(LiveListeners::default());
        let mut slow = live.subscribe(&project(1, "shop"), "a").unwrap();
        for _ in 0..QUEUE_MAX + 7 {
            live.publish("shop", &lines(&["a"]), &[AppendOutcome::Stored]);
        }
        assert_eq!((slow.missed(), slow.missed()), (7, 0));
        assert!(slow.next().await.is_some());
    }

    #[test]
    fn listeners_are_bounded_and_leave() {
        let live = Arc::new(LiveListeners::default());
        let (shop, why) = fill(&live, 1, "shop");
        assert_eq!((shop.len(), why), (PER_PROJECT_MAX, NoRoom::OfProject));
        drop(shop);
        assert!(!live.wants("shop"));
        assert_eq!(live.number.load(Ordering::Relaxed), 0);
        assert!(live.lock().is_empty());
    }

    #[test]
    fn no_company_takes_the_room_of_others() {
        let live = Arc::new(LiveListeners::default());
        let of_company = |company: i64| -> (Vec<Subscription>, NoRoom) {
            let (mut all, mut why) = (Vec::new(), NoRoom::OfProject);
            for number in 0..5 {
                let (of_project, last) = fill(&live, company, &format!("project {company}-{number}"));
                all.extend(of_project);
                why = last;
            }
            (all, why)
        };
        let (first, why) = of_company(1);
        assert_eq!((first.len(), why), (PER_COMPANY_MAX, NoRoom::OfCompany));
        // However many companies take all they can get, another one can still begin.
        let (crowd, why) = (2..=9)
            .map(of_company)
            .reduce(|(mut all, _), (more, why)| {
                all.extend(more);
                (all, why)
            })
            .unwrap();
        assert_eq!(why, NoRoom::OnServer);
        assert!(first.len() + crowd.len() < LISTENERS_MAX);
        let other = live.subscribe(&project(100, "other"), "a").unwrap();
        assert_eq!(live.subscribe(&project(100, "other"), "a").unwrap_err(), NoRoom::OnServer);
        drop(first);
        assert!(live.subscribe(&project(100, "other"), "a").is_ok());
        drop((crowd, other));
        assert_eq!(live.number.load(Ordering::Relaxed), 0);
    }
}
