//! People who can see a project, whom comments can mention.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::app::App;
use muriel_context::error::Result;
use muriel_domain::ids::ProjectId;
use muriel_store::backlog::fold;
use muriel_store::people::{self, Member};

/// Returns the people who can see a project and whose names contain `search` in any letter case: those
/// with a word that begins with it first, then by name; at most `limit`, and whether there are more.
pub async fn search(app: &App, project: ProjectId, search: &str, limit: usize) -> Result<(Vec<Member>, bool)> {
    let members = app.read(move |tx| Box::pin(async move { Ok(people::members(tx, project).await?) })).await?;
    let mut found = matching(members, search);
    let has_more = found.len() > limit;
    found.truncate(limit);
    Ok((found, has_more))
}

fn matching(members: Vec<Member>, search: &str) -> Vec<Member> {
    let wanted = fold(search.trim());
    let folded = members.into_iter().map(|member| (fold(&member.name), member));
    let mut found: Vec<(bool, String, Member)> = folded
        .filter(|(name, _)| name.contains(&wanted))
        .map(|(name, member)| (!begins_a_word(&name, &wanted), name, member))
        .collect();
    found.sort_by(|a, b| (a.0, &a.1, a.2.id).cmp(&(b.0, &b.1, b.2.id)));
    found.into_iter().map(|(_, _, member)| member).collect()
}

/// Returns whether a word of the name begins with the text.
fn begins_a_word(name: &str, wanted: &str) -> bool {
    name.match_indices(wanted).any(|(at, _)| !name[..at].chars().next_back().is_some_and(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::ids::PersonId;
    use muriel_domain::person::Role;

    #[test]
    fn names_that_begin_with_it_come_first() {
        let member =
            |(id, name): (i64, &&str)| Member { id: PersonId(id), name: (*name).to_owned(), role: Role::Viewer };
        let members: Vec<Member> = (1..).zip(&["Marlene", "Lena Straße", "Ada", "ada"]).map(member).collect();
        for (search, expect) in [
            ("", &[3, 4, 2, 1][..]),
            ("len", &[2, 1]),
            (" LEN ", &[2, 1]),
            ("STRASSE", &[2]),
            ("ada", &[3, 4]),
            ("%", &[]),
        ] {
            let ids: Vec<i64> = matching(members.clone(), search).iter().map(|member| member.id.0).collect();
            assert_eq!(ids, expect, "{search}");
        }
    }
}
