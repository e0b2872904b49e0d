//! What is wrong with something a client sent, field by field.

/// One problem: the place it was found, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The place, as `variants[1].weight`.
    pub field: String,
    /// What is wrong, worded to follow the place: `must be a number`.
    pub message: String,
}

/// All the problems of one input, in the order they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// The list that holds one problem.
    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Problems {
        let mut problems = Problems::default();
        problems.add(field, message);
        problems
    }

    /// Notes one more problem.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.0.push(Problem {
            field: field.into(),
            message: message.into(),
        });
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The problems in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// The problem found first.
    pub fn first(&self) -> Option<&Problem> {
        self.0.first()
    }

    /// Takes over the problems of another list.
    pub fn extend(&mut self, other: Problems) {
        self.0.extend(other.0);
    }
}
