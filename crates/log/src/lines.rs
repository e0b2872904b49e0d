//! Reads JSON lines with line numbers and a maximum line length.

use std::io::{self, BufRead, Read};

/// UTF-8 byte order mark, which some programs write at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a source line by line and buffers at most one line.
///
/// A line ends with a line feed or with the end of the source. ASCII white space around a
/// line is trimmed, and so is a byte order mark at the beginning of the source.
#[derive(Debug)]
pub struct Lines<R> {
    from: R,
    max: usize,
    /// Number of the line that was read last, from 1.
    number: u64,
    read: u64,
    /// True inside a line that is too long.
    is_within: bool,
    line: Vec<u8>,
}

/// One step of reading: a line, or a part of a line that is too long.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'l> {
    /// Line number, from 1; blank lines count.
    pub number: u64,
    /// The text of the line, if there is any to process.
    pub content: Content<'l>,
}

/// The content of a [`Line`].
#[derive(Debug, PartialEq, Eq)]
pub enum Content<'l> {
    /// A line that is not blank and not too long.
    Text(&'l [u8]),
    /// The line has more bytes than the maximum. Returned once for each such line.
    TooLong,
    /// Skip this: a blank line, or a further part of a line that is too long. It is
    /// returned so that one call never reads more than one line of maximum length.
    Nothing,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines of at most `max` bytes, not counting white space around them.
    pub fn new(from: R, max: usize) -> Self {
        Self { from, max, number: 0, read: 0, is_within: false, line: Vec::new() }
    }

    /// Number of bytes read so far.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Reads the next line, or part of one; `None` at the end of the source.
    ///
    /// # Errors
    /// The error of the source.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        // Space for the line feed, and for one byte that shows that the line is too long.
        let most = (self.max as u64).saturating_add(2);
        let read = self.from.by_ref().take(most).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        self.read += read as u64;
        let was_within =
            std::mem::replace(&mut self.is_within, self.line.last() != Some(&b'\n') && read as u64 == most);
        if !was_within {
            self.number += 1;
        }
        let text = match self.line.strip_prefix(BYTE_ORDER_MARK) {
            Some(text) if self.number == 1 => text,
            _ => &self.line,
        }
        .trim_ascii();
        let content = match text {
            _ if was_within => Content::Nothing,
            _ if self.is_within || text.len() > self.max => Content::TooLong,
            [] => Content::Nothing,
            text => Content::Text(text),
        };
        Ok(Some(Line { number: self.number, content }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All lines as `number:text`, or `number!` for a line that is too long.
    fn all(source: &[u8], max: usize) -> Vec<String> {
        let mut lines = Lines::new(source, max);
        let mut numbered = Vec::new();
        while let Some(Line { number, content }) = lines.next_line().unwrap() {
            match content {
                Content::Text(text) => numbered.push(format!("{number}:{}", String::from_utf8_lossy(text))),
                Content::TooLong => numbered.push(format!("{number}!")),
                Content::Nothing => {}
            }
        }
        assert_eq!(lines.read(), source.len() as u64);
        numbered
    }

    #[test]
    fn lines_are_numbered_as_they_stand() {
        for (source, expect) in [
            ("", &[][..]),
            ("\n", &[]),
            ("a", &["1:a"]),
            ("a\n", &["1:a"]),
            ("a\nb", &["1:a", "2:b"]),
            ("a\r\nb\r\n", &["1:a", "2:b"]),
            ("\n \t\r\n\n a \n\n", &["4:a"]),
            ("\u{feff}a\n\u{feff}b", &["1:a", "2:\u{feff}b"]),
            ("\u{feff}", &[]),
        ] {
            assert_eq!(all(source.as_bytes(), 9), expect, "{source:?}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_keeps_no_other_out() {
        for (source, expect) in [
            ("abc\nabcd\nabc", &["1:abc", "2!", "3:abc"][..]),
            ("abcd", &["1!"]),
            ("abcde", &["1!"]),
            ("abcdef\n", &["1!"]),
            ("abcdefghijklmnopqrstuvwxyz\na\n\nabcd\nb\n", &["1!", "2:a", "4!", "5:b"]),
            // The text after a line at the limit is a separate line.
            ("abcd\nefg\n", &["1!", "2:efg"]),
            ("abcde\nfgh\n", &["1!", "2:fgh"]),
            ("abc\r\nabcd\r\n", &["1:abc", "2!"]),
        ] {
            assert_eq!(all(source.as_bytes(), 3), expect, "{source:?}");
        }
    }

    #[test]
    fn a_long_line_is_not_kept() {
        let source = vec![b'x'; 1 << 20];
        let mut lines = Lines::new(&*source, 1_000);
        let mut pieces = 0;
        while lines.next_line().unwrap().is_some() {
            pieces += 1;
        }
        assert_eq!(pieces, (1_usize << 20).div_ceil(1_002));
        assert!(lines.line.capacity() <= 4_096, "{}", lines.line.capacity());
    }
}
