//! Regular expressions that mean the same here and in a browser.

use crate::Flaw;
use crate::goal::regular_expression;

/// A regular expression that means the same to JavaScript's `RegExp` (without
/// flags) on texts of the characters 0x21–0x7E.
///
/// # Errors
/// Whatever would differ, or could take long there.
pub fn portable(pattern: &str) -> Result<regex::Regex, Flaw> {
    regular_expression(pattern)
}
