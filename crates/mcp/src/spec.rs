//! Specification of a tool, which `tools` has for each and `operation` compiles.

/// Effect of a call of a tool, as a hint for programs that ask their user before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes nothing.
    Reads,
    /// Adds something, and changes nothing that exists.
    Adds,
    /// Changes something that exists.
    Changes,
}

/// Definition of a tool by an operation of the API.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    /// Name for people.
    pub(crate) title: &'static str,
    /// The operation's id in the contract.
    pub(crate) operation: &'static str,
    pub(crate) effect: Effect,
    /// Text for agents that the contract does not have.
    pub(crate) about: &'static str,
    /// Parameters of the operation that are not arguments of the tool.
    pub(crate) hidden: &'static [&'static str],
    /// The argument whose members are further parameters of the query.
    pub(crate) open_query: Option<&'static str>,
    /// Media type of the body, and the schema of its fields, if the contract has none for this type.
    pub(crate) body: Option<(&'static str, &'static str)>,
}

impl Spec {
    pub(crate) const fn new(name: &'static str, title: &'static str, operation: &'static str, effect: Effect) -> Spec {
        Spec { name, title, operation, effect, about: "", hidden: &[], open_query: None, body: None }
    }

    pub(crate) const fn about(mut self, about: &'static str) -> Spec {
        self.about = about;
        self
    }

    pub(crate) const fn hidden(mut self, hidden: &'static [&'static str]) -> Spec {
        self.hidden = hidden;
        self
    }

    /// Makes the body a merge patch with the fields of this schema.
    pub(crate) const fn merging(mut self, schema: &'static str) -> Spec {
        self.body = Some(("application/merge-patch+json", schema));
        self
    }
}
