//! Problems of files, with their locations.

use std::collections::BTreeSet;
use std::fmt;

/// Maximum number of problems printed.
const SHOWN: usize = 200;

/// Problem of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileProblem {
    pub(crate) file: String,
    /// Line from 1; 0 for the file as a whole.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl fmt::Display for FileProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: {}", self.file, self.message),
            line => write!(out, "{}:{line}: {}", self.file, self.message),
        }
    }
}

/// All problems, sorted by file and line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileProblems(BTreeSet<FileProblem>);

impl FileProblems {
    pub(crate) fn add(&mut self, file: &str, line: usize, message: impl Into<String>) {
        self.0.insert(FileProblem { file: file.to_owned(), line, message: message.into() });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &FileProblem> {
        self.0.iter()
    }
}

impl fmt::Display for FileProblems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        write!(out, "the files have {count} problem{}:", if count == 1 { "" } else { "s" })?;
        for problem in self.0.iter().take(SHOWN) {
            write!(out, "\n  {problem}")?;
        }
        match count.saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(out, "\n  and {more} more"),
        }
    }
}
