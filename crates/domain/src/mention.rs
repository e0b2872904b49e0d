//! Mentions: `@Name` in a comment mentions a person by name.

use crate::Problems;
use crate::ids::PersonId;
use std::collections::{BTreeSet, HashMap};

/// Maximum number of people that one comment can mention.
pub const MENTIONS_MAX: usize = 50;
/// Maximum number of ids in the error message for a name that several people have.
const SHOWN_IDS: usize = 5;

/// A person who can be mentioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mentionable {
    /// Person id.
    pub id: PersonId,
    /// Display name.
    pub name: String,
}

/// Finds the people whom a comment mentions: those whose ids are `given`, and those whom the text names by `@` and
/// their whole name. Returns indexes into `people`, ascending.
///
/// Letter case does not matter. An `@` within a word, as in an e-mail address, is not a mention, and neither is a name
/// that continues as another word. When two names match, the longer one counts. An unknown name is ordinary text.
///
/// # Examples
///
/// ```
/// use muriel_domain::ids::PersonId;
/// use muriel_domain::mention::{Mentionable, mentioned};
///
/// let people = [Mentionable { id: PersonId(7), name: "Ada Lovelace".to_owned() }];
/// assert_eq!(mentioned("Thanks, @ada lovelace!", &people, &[]), Ok(vec![0]));
/// assert_eq!(mentioned("Write to ada@example.com.", &people, &[]), Ok(vec![]));
/// assert_eq!(mentioned("No name.", &people, &[PersonId(7)]), Ok(vec![0]));
/// ```
///
/// # Errors
/// `mentions[i]`: the id is not of anybody in `people`. `text`: several people have the name and none of them is given,
/// or the comment mentions more than [`MENTIONS_MAX`] people.
pub fn mentioned(text: &str, people: &[Mentionable], given: &[PersonId]) -> Result<Vec<usize>, Problems> {
    let mut problems = Problems::default();
    let mut found = BTreeSet::new();
    for (place, id) in given.iter().enumerate() {
        match people.iter().position(|person| person.id == *id) {
            Some(at) => drop(found.insert(at)),
            None => problems.add(
                format!("mentions[{place}]"),
                "must be the id of somebody who sees this project; GET …/people lists them",
            ),
        }
    }
    let names = Names::of(people);
    let mut unclear = BTreeSet::new();
    for called in calls(text).filter_map(|rest| names.called(rest)) {
        match called.as_slice() {
            [one] => drop(found.insert(*one)),
            several if several.iter().any(|at| found.contains(at)) => {}
            several => {
                if let Some(first) = several.first().filter(|first| unclear.insert(**first)) {
                    problems.add("text", unclear_name(&people[*first].name, several.iter().map(|at| people[*at].id)));
                }
            }
        }
    }
    if found.len() > MENTIONS_MAX {
        problems.add("text", format!("mentions {} people; at most {MENTIONS_MAX} can be mentioned", found.len()));
    }
    if problems.is_empty() { Ok(found.into_iter().collect()) } else { Err(problems) }
}

fn unclear_name(name: &str, ids: impl ExactSizeIterator<Item = PersonId>) -> String {
    let number = ids.len();
    let shown: Vec<String> = ids.take(SHOWN_IDS).map(|id| id.to_string()).collect();
    let more = if number > shown.len() { " …" } else { "" };
    format!(
        "mentions @{name}, but {number} people are called that; put the id of the one you mean in `mentions`: {}{more}",
        shown.join(", ")
    )
}

/// The text after each `@` that can start a mention.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('@').filter_map(|(at, _)| {
        let is_within = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        (!is_within).then(|| &text[at + 1..])
    })
}

/// The names of people in lower case, grouped by first character.
struct Names(HashMap<char, Vec<(usize, String)>>);

impl Names {
    fn of(people: &[Mentionable]) -> Self {
        let mut by_first: HashMap<char, Vec<(usize, String)>> = HashMap::new();
        for (at, person) in people.iter().enumerate() {
            // Lower-cased character by character, as texts are compared. Lower-casing a whole text gives other forms,
            // for example for a final Σ.
            let name: String = person.name.chars().flat_map(char::to_lowercase).collect();
            if let Some(first) = name.chars().next() {
                by_first.entry(first).or_default().push((at, name));
            }
        }
        Self(by_first)
    }

    /// Returns the people whose name `rest` begins with. When several names match, the longest counts.
    fn called(&self, rest: &str) -> Option<Vec<usize>> {
        let first = rest.chars().next()?.to_lowercase().next()?;
        let mut longest = (0, Vec::new());
        for (at, name) in self.0.get(&first)? {
            let Some(length) = length_of(name, rest).filter(|length| *length >= longest.0) else { continue };
            if length > longest.0 {
                longest = (length, Vec::new());
            }
            longest.1.push(*at);
        }
        (!longest.1.is_empty()).then_some(longest.1)
    }
}

/// Returns how many bytes of `rest` the lower-case `name` takes. `None` when `rest` does not begin with the name, or
/// when the word continues.
fn length_of(name: &str, rest: &str) -> Option<usize> {
    let mut left = name.chars();
    for (at, c) in rest.char_indices() {
        if left.as_str().is_empty() {
            return (!c.is_alphanumeric()).then_some(at);
        }
        for lower in c.to_lowercase() {
            if left.next() != Some(lower) {
                return None;
            }
        }
    }
    left.as_str().is_empty().then_some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(names: &[&str]) -> Vec<Mentionable> {
        (1..).zip(names).map(|(id, name)| Mentionable { id: PersonId(id), name: (*name).to_owned() }).collect()
    }

    #[test]
    fn whole_names_are_called() {
        let people = people(&["Ada", "Ada Lovelace", "Grace", "İpek Şahin", "O'Neil", "a"]);
        for (text, expect) in [
            ("@Ada look", &[0][..]),
            ("@ada lovelace, look", &[1]),
            ("@ADA LOVELACES", &[0]),
            ("(@Grace)", &[2]),
            ("@Grace", &[2]),
            ("@Graceful", &[]),
            ("ada@Grace.example", &[]),
            ("@Ada@Grace", &[0]),
            ("@ Ada", &[]),
            ("@@Grace", &[2]),
            ("@o'neil's idea, @İPEK şahin", &[3, 4]),
            ("@Grace and @grace", &[2]),
            ("@a.", &[5]),
            ("@nobody", &[]),
            ("@", &[]),
            ("", &[]),
        ] {
            assert_eq!(mentioned(text, &people, &[]), Ok(expect.to_vec()), "{text}");
        }
    }

    #[test]
    fn a_name_of_several_people_needs_an_id() {
        let people = people(&["Ada", "ada", "Grace"]);
        let check = |text: &str, given: &[i64]| {
            let given: Vec<PersonId> = given.iter().map(|id| PersonId(*id)).collect();
            mentioned(text, &people, &given).map_err(|problems| {
                let messages = problems.iter().map(|problem| format!("{} {}", problem.field, problem.message));
                messages.collect::<Vec<_>>().join("; ")
            })
        };
        assert_eq!(
            check("@Ada and @ada", &[]).unwrap_err(),
            "text mentions @Ada, but 2 people are called that; put the id of the one you mean in `mentions`: 1, 2"
        );
        assert_eq!(check("@Ada", &[2]), Ok(vec![1]));
        assert_eq!(check("nobody by name", &[3, 3]), Ok(vec![2]));
        assert!(check("@Ada", &[3]).is_err(), "another one is no answer to which");
        assert!(check("", &[3, 9]).unwrap_err().starts_with("mentions[1] must be the id"));
    }

    #[test]
    fn a_comment_mentions_so_many_people() {
        let names: Vec<String> = (0..=MENTIONS_MAX).map(|number| format!("p{number}x")).collect();
        let people = people(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let text = |count: usize| names[..count].iter().map(|name| format!("@{name} ")).collect::<String>();
        assert_eq!(mentioned(&text(MENTIONS_MAX), &people, &[]).unwrap().len(), MENTIONS_MAX);
        assert!(mentioned(&text(MENTIONS_MAX + 1), &people, &[]).is_err());
    }
}
