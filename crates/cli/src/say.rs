//! Output of commands. The reader may close the pipe at any time, as `head` does: that ends the output, but neither the
//! work nor its exit status.

use crate::{Error, Result};
use muriel_domain::text::printable;
use std::fmt::Arguments;
use std::io::{ErrorKind, IsTerminal, Write};

/// Prints a line on standard output. Evaluates to `Result<()>`.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::say::line(format_args!($($text)*))
    };
}

/// Prints a line on standard error.
macro_rules! say_stderr {
    ($($text:tt)*) => {
        $crate::say::aside(format_args!($($text)*))
    };
}

pub(crate) use {say, say_stderr};

/// Prints a line on standard output. It may contain external text: characters that a terminal would interpret or not
/// show are escaped as in JSON.
///
/// # Errors
/// As [`text`].
pub(crate) fn line(line: Arguments<'_>) -> Result<()> {
    text(format_args!("{}\n", printable(&line.to_string())))
}

/// Prints this program's own text on standard output, unescaped: it may have colours.
///
/// # Errors
/// When it cannot be written, except for a closed pipe.
pub(crate) fn text(text: Arguments<'_>) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Other(format!("cannot write to standard output: {error}").into()))
        }
        _ => Ok(()),
    }
}

/// Returns whether the output may have colours.
pub(crate) fn has_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Prints a line on standard error. When that fails, the error has nowhere to go.
pub(crate) fn aside(text: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{}", printable(&text.to_string()));
}
