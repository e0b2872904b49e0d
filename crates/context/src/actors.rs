//! Display names of actors.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::api_key::ID_LEN;
use crate::error::Result;
use muriel_domain::ids::PersonId;
use muriel_sql::Tx;
use muriel_store::people::{of_reference, reference};
use muriel_store::{keys, people};
use std::collections::{BTreeSet, HashMap};

/// Kind of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An API key: a program or an agent.
    Key,
    /// A person who signed in.
    Person,
    /// The operator at the command line, the clock, or another part of the server.
    System,
}

/// An actor of a history entry, with its display name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Kind of the actor.
    pub kind: Kind,
    /// The key's id, the person's id, or the name of the part of the server.
    pub id: String,
    /// The name of the key or the person; the id where the name is no longer known.
    pub name: String,
}

/// Described actors, by their reference in history.
#[derive(Debug, Clone, Default)]
pub struct Names(HashMap<String, Described>);

impl Names {
    /// Looks up actors by their references in history.
    pub async fn of<'a>(tx: &mut dyn Tx, actors: impl IntoIterator<Item = &'a str>) -> Result<Names> {
        let actors: BTreeSet<&str> = actors.into_iter().collect();
        let (people, others): (Vec<&str>, Vec<&str>) = actors.iter().partition(|actor| of_reference(actor).is_some());
        let ids: Vec<PersonId> = people.into_iter().filter_map(of_reference).collect();
        let (keys, people) = (keys::names(tx, &others).await?, people::names(tx, &ids).await?);
        let described = actors.into_iter().map(|actor| {
            let described = match (keys.get(actor), of_reference(actor)) {
                (Some(name), _) => Described { kind: Kind::Key, id: actor.to_owned(), name: name.clone() },
                (None, Some(id)) => Described {
                    kind: Kind::Person,
                    id: id.to_string(),
                    name: people.get(&id).cloned().unwrap_or_else(|| id.to_string()),
                },
                (None, None) => system(actor),
            };
            (actor.to_owned(), described)
        });
        Ok(Names(described.collect()))
    }

    /// Returns the actor with this reference.
    pub fn get(&self, actor: &str) -> Described {
        self.0.get(actor).cloned().unwrap_or_else(|| system(actor))
    }
}

/// Returns the history reference of the actor that is shown with this id. Only ids of people are numbers.
pub fn reference_of(shown: &str) -> String {
    PersonId::parse(shown).filter(|_| shown.len() != ID_LEN).map_or_else(|| shown.to_owned(), reference)
}

fn system(actor: &str) -> Described {
    Described { kind: Kind::System, id: actor.to_owned(), name: actor.to_owned() }
}
