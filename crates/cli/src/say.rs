//! What commands print. Whoever reads it may close the pipe at any time, as `head`
//! does: that ends what is printed, but neither the work nor its exit status.

use crate::{Error, Result};
use muriel_domain::text::printable;
use std::fmt::Arguments;
use std::io::{ErrorKind, IsTerminal, Write};

/// Prints a line on standard output; gives `Result<()>`.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::say::line(format_args!($($text)*))
    };
}

/// Prints a line on standard error.
macro_rules! tell {
    ($($text:tt)*) => {
        $crate::say::aside(format_args!($($text)*))
    };
}

pub(crate) use {say, tell};

/// Prints a line on standard output. It may have what others sent: what a terminal would act on, or does not show, is escaped, as
/// JSON has it.
///
/// # Errors
/// As [`text`].
pub(crate) fn line(line: Arguments<'_>) -> Result<()> {
    text(format_args!("{}\n", printable(&line.to_string())))
}

/// Prints text of ours on standard output, as it is: it may have colours.
///
/// # Errors
/// When it cannot be written, but for a closed pipe.
pub(crate) fn text(text: Arguments<'_>) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Other(format!("cannot write to standard output: {error}").into()))
        }
        _ => Ok(()),
    }
}

/// Whether what is printed may have colours.
pub(crate) fn has_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Prints a line on standard error. When that fails, the error has nowhere to go.
pub(crate) fn aside(text: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{}", printable(&text.to_string()));
}
