//! Who did something, with a name for people.

use crate::api_key::ID_LEN;
use crate::error::Result;
use muriel_domain::ids::PersonId;
use muriel_sql::Tx;
use muriel_store::people::{of_reference, reference};
use muriel_store::{keys, people};
use std::collections::{BTreeSet, HashMap};

/// What kind of actor it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An API key: a program or an agent.
    Key,
    /// Somebody who signed in.
    Person,
    /// The operator at the command line, the clock, or another part of the server.
    System,
}

/// An actor as history has it, with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// What kind of actor it is.
    pub kind: Kind,
    /// The key's id, the person's id, or the name of the part of the server.
    pub id: String,
    /// The name of the key or the person; the id where it is not known any more.
    pub name: String,
}

/// The names of actors, by what history has for each.
#[derive(Debug, Clone, Default)]
pub struct Names(HashMap<String, Described>);

impl Names {
    /// Looks up these actors, as history has them.
    ///
    /// # Errors
    /// When the database cannot be reached.
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

    /// The actor that history calls `actor`.
    pub fn get(&self, actor: &str) -> Described {
        self.0.get(actor).cloned().unwrap_or_else(|| system(actor))
    }
}

/// What history has for the actor who is shown with this id: only people have numbers.
pub fn reference_of(shown: &str) -> String {
    PersonId::parse(shown).filter(|_| shown.len() != ID_LEN).map_or_else(|| shown.to_owned(), reference)
}

fn system(actor: &str) -> Described {
    Described { kind: Kind::System, id: actor.to_owned(), name: actor.to_owned() }
}
