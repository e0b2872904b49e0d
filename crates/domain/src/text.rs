//! Constructors of bounded text that several types share.

use crate::Flaw;
use deunicode::deunicode_char;
use std::borrow::Cow;
use std::fmt::Write;

/// Trims surrounding white space and checks for 1 to `max` characters.
///
/// Hidden characters are allowed. Names that people see in lists go through [`name`].
///
/// # Errors
/// Blank or longer text.
pub fn title(text: &str, max: usize) -> Result<String, Flaw> {
    let text = text.trim();
    match text.chars().take(max + 1).count() {
        0 => Err(Flaw::new("must not be blank")),
        n if n > max => Err(Flaw::new(format!("must have at most {max} characters"))),
        _ => Ok(text.to_owned()),
    }
}

/// Reads a name that people see in lists: trims surrounding white space, and checks for 1 to `max` characters, none of
/// them hidden. All names pass through here, so that names that look alike are spelled alike, as far as invisible
/// characters are concerned.
///
/// Zero-width joiners and non-joiners are allowed within emoji and within words that need them. Variation selectors are
/// allowed after characters that have variants.
///
/// ```
/// use muriel_domain::text::name;
///
/// assert_eq!(name(" علی\u{200c}رضا ", 255).as_deref(), Ok("علی\u{200c}رضا"));
/// assert_eq!(
///     name("Ada\u{200b}", 255).unwrap_err().to_string(),
///     "must not contain U+200B (character 4), which cannot be seen; remove it"
/// );
/// ```
///
/// # Errors
/// Blank or longer text, and text with hidden characters.
pub fn name(text: &str, max: usize) -> Result<String, Flaw> {
    let name = title(text, max)?;
    check_visible(&name)?;
    match name.chars().all(is_blank) {
        true => Err(Flaw::new("must have a character that can be seen")),
        false => Ok(name),
    }
}

/// Checks that a text has no hidden characters.
///
/// Characters are counted from 1. Blank text passes.
///
/// # Errors
/// The first hidden character, with its place.
pub fn check_visible(text: &str) -> Result<(), Flaw> {
    match hidden_within(text).next() {
        None => Ok(()),
        Some((_, place, c)) => {
            let code = u32::from(c);
            let what = if c.is_control() { "is a control character" } else { "cannot be seen" };
            Err(Flaw::new(format!("must not contain U+{code:04X} (character {}), which {what}; remove it", place + 1)))
        }
    }
}

/// Returns whether a character has no visible shape: control characters, writing directions, zero-width characters,
/// tags, fillers and variation selectors.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Escapes `text` for a terminal or a table. Control and hidden characters become JSON escapes such as `\u200b`, so
/// that JSON text keeps its meaning. Line breaks and tabs are kept. Borrows the text when nothing has to be escaped.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, &['\n', '\r', '\t'])
}

/// Like [`printable`], for a name in a list: line breaks and tabs are escaped too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, &[])
}

/// Escapes the hidden characters that a text does not need, except those in `kept`. A character beyond U+FFFF becomes
/// two escapes, as in JSON.
fn escaped<'t>(text: &'t str, kept: &[char]) -> Cow<'t, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') || kept.contains(&char::from(byte));
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let mut from = 0;
    for (at, _, c) in hidden_within(text).filter(|(_, _, c)| !kept.contains(c)) {
        shown.push_str(&text[from..at]);
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
        from = at + c.len_utf8();
    }
    match from {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(shown + &text[from..]),
    }
}

/// Returns the hidden characters that a text does not need, each with its byte offset and its character index.
fn hidden_within(text: &str) -> impl Iterator<Item = (usize, usize, char)> {
    let mut before = None;
    text.char_indices().enumerate().filter_map(move |(place, (at, c))| {
        let after = text[at + c.len_utf8()..].chars().next();
        let is_flaw = is_hidden(c) && !is_needed(before, c, after);
        before = Some(c);
        is_flaw.then_some((at, place, c))
    })
}

/// Returns whether a hidden character affects how its neighbours look, so that correct spelling needs it.
fn is_needed(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        '\u{200c}' => after.is_some_and(joins) && joins(before),
        '\u{200d}' => {
            let is_emoji = |c: char| is_pictograph(c) || matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
            after.is_some_and(|after| joins(before) && joins(after) || is_emoji(before) && is_pictograph(after))
        }
        // Variants of Mongolian letters.
        '\u{180b}'..='\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        // Selects text or emoji style, and the keycap around a digit.
        '\u{fe0e}' | '\u{fe0f}' => {
            is_pictograph(before) || matches!(before, '0'..='9' | '#' | '*') && after == Some('\u{20e3}')
        }
        '\u{fe00}'..='\u{fe0d}' => {
            is_ideograph(before) || matches!(before, '\u{1000}'..='\u{109f}' | '\u{aa60}'..='\u{aa7f}')
        }
        // Some Japanese names differ only in these.
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        _ => false,
    }
}

/// Returns whether a character belongs to a script whose letters join: Arabic, Syriac, the scripts of India and
/// South-East Asia, Mongolian.
fn joins(c: char) -> bool {
    !is_hidden(c)
        && !c.is_ascii()
        && matches!(c,
            '\u{600}'..='\u{109f}' | '\u{1700}'..='\u{18af}' | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{abff}'
            | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

/// Returns whether a character is, or may be shown as, a pictograph.
fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}'
        | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

/// Returns whether a character is an ideograph, which variation selectors may follow.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether a character leaves its place empty: white space, the empty Braille pattern, or a hidden character.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}' || is_hidden(c)
}

/// Returns `text` unchanged, at most `max` characters. The text may be empty.
///
/// # Errors
/// Longer text.
pub fn at_most(text: &str, max: usize) -> Result<String, Flaw> {
    if text.chars().take(max + 1).count() > max {
        return Err(Flaw::new(format!("must have at most {max} characters")));
    }
    Ok(text.to_owned())
}

/// Checks an absolute http or https address without credentials, at most 2,048 bytes. Returns it as written.
///
/// # Errors
/// Other schemes, relative addresses, credentials, control characters, blanks.
pub fn web_address(text: &str) -> Result<String, Flaw> {
    if text.len() > 2_048 {
        return Err(Flaw::new("must have at most 2048 bytes"));
    }
    // The parser drops these silently, and a stored address must mean what it shows.
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(Flaw::new("must not contain white space or control characters"));
    }
    let url = url::Url::parse(text).map_err(|_| Flaw::new("must be an absolute http or https URL"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(Flaw::new("must be an absolute http or https URL"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Flaw::new("must not contain a user name or password"));
    }
    Ok(text.to_owned())
}

/// Generates a key from a name: lower-case ASCII letters and digits, letters of other scripts transliterated, and one
/// `-` for anything else. At most `max` bytes. A name without a transliterated letter uses `fallback`.
///
/// `fallback` must be ASCII. The slug may already be taken; [`numbered`] makes another.
///
/// ```
/// use muriel_domain::text::{numbered, slug};
///
/// assert_eq!(slug("Shorter checkout form!", 64, "test"), "shorter-checkout-form");
/// assert_eq!(slug("Größerer Knopf", 64, "test"), "grosserer-knopf");
/// assert_eq!(slug("ジーンズ", 64, "test"), "zinzu");
/// assert_eq!(slug("2 + 2", 64, "test"), "test-2-2");
/// assert_eq!(numbered("shorter-checkout-form", 2, 10), "shorter-2");
/// ```
pub fn slug(name: &str, max: usize, fallback: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        // A mark that belongs to the letter before it is not a gap, such as an accent that follows its `e`.
        let latin = match deunicode_char(letter) {
            Some(latin) if letter.is_alphanumeric() || latin.is_empty() => latin,
            _ => " ",
        };
        for c in latin.chars() {
            if c.is_ascii_alphanumeric() {
                slug.push(c.to_ascii_lowercase());
            } else if c == ' ' && !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
    }
    let slug = slug.trim_end_matches('-');
    let slug = match slug.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        true => slug.to_owned(),
        // A number alone does not describe anything.
        false if slug.is_empty() => fallback.to_owned(),
        false => format!("{fallback}-{slug}"),
    };
    slug[..slug.len().min(max)].trim_end_matches('-').to_owned()
}

/// Returns `base-number`, at most `max` bytes long; `base` is cut to fit. Used when a key is taken: `checkout`,
/// `checkout-2`, `checkout-3`. `base` must be ASCII, and `max` must have room for the number.
pub fn numbered(base: &str, number: u32, max: usize) -> String {
    let suffix = format!("-{number}");
    let stem = &base[..base.len().min(max - suffix.len())];
    format!("{}{suffix}", stem.trim_end_matches('-'))
}

/// Checks a key that a client sent: 1 to 64 of `A-Za-z0-9._-`. Text is not trimmed.
///
/// # Errors
/// Any other text.
pub fn key(text: &str) -> Result<String, Flaw> {
    let fits = (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if fits { Ok(text.to_owned()) } else { Err(Flaw::new("must be 1 to 64 of the characters A-Z a-z 0-9 . _ -")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_addresses() {
        for (text, good) in [
            ("https://example.com", true),
            ("http://example.com:8080/a?b=c#d", true),
            ("https://bücher.example/ü", true),
            ("HTTPS://EXAMPLE.com/", true),
            ("ftp://example.com", false),
            ("javascript:alert(1)", false),
            ("//example.com", false),
            ("/path", false),
            ("https://", false),
            ("https://user@example.com", false),
            ("https://user:pw@example.com", false),
            ("https://exa mple.com", false),
            ("https://example.com/\n", false),
            ("", false),
        ] {
            assert_eq!(web_address(text).is_ok(), good, "{text}");
        }
        assert!(web_address(&format!("https://example.com/{}", "a".repeat(2_028))).is_ok());
        assert!(web_address(&format!("https://example.com/{}", "a".repeat(2_029))).is_err());
    }

    #[test]
    fn names_of_every_script_pass() {
        for text in [
            "Ada Lovelace",
            "O’Brien-Nuñez",
            "Zoë Ångström",
            "Nguyễn Thị Minh Khai",
            "Ελένη Παπαδοπούλου",
            "Лариса Ильина",
            "دانشگاه می\u{200c}خواهم",
            "علی\u{200c}رضا نوری\u{200c}زاده",
            "محمد",
            "אֲדָה לַבְלֵייס",
            "क्\u{200d}षितिज",
            "ശ്രീ\u{200d}കാന്ത്",
            "ක්\u{200d}රිස්ටීන්",
            "শর্\u{200c}মা",
            "สมชาย ใจดี",
            "မောင်\u{fe00}",
            "សុខ សាន្ត",
            "ᠮᠣᠩᠭᠣᠯ\u{180e}ᠠ",
            "辻\u{e0100}さくら",
            "東海林太郎",
            "김민준",
            "ᎠᏓ",
            "𝒜da",
            "Team \u{1f469}\u{200d}\u{1f4bb}",
            "\u{1f469}\u{1f3fd}\u{200d}\u{1f680} launch",
            "\u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "Phase 1\u{fe0f}\u{20e3}",
            "\u{2601}\u{fe0f} cloud",
            "a\u{a0}b",
            "名前\u{3000}二",
        ] {
            assert_eq!(name(text, 255).as_deref(), Ok(text));
            assert_eq!(one_line(text), text, "it is printed as it is");
        }
    }

    #[test]
    fn hidden_characters_are_refused_and_escaped() {
        let hidden = "\0\u{7}\t\n\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180b}\u{180e}\u{200b}\u{200c}\u{200d}\
            \u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2060}\u{2064}\u{2066}\u{2069}\u{206f}\u{3164}\u{fe00}\u{fe0f}\
            \u{feff}\u{ffa0}\u{fff9}\u{e0001}\u{e0041}\u{e007f}\u{e0100}";
        for c in hidden.chars() {
            for text in [format!("A{c}da"), format!("Ada{c}x"), format!("А{c}да"), format!("Ada {c}Lovelace")] {
                let flaw = name(&text, 255).expect_err("a hidden character").to_string();
                assert!(flaw.contains(&format!("U+{:04X}", u32::from(c))), "{flaw}");
                let shown = one_line(&text);
                assert!(!shown.contains(c), "{shown}");
                let read: String = serde_json::from_str(&format!("\"{shown}\"")).expect("the same JSON");
                assert_eq!(read, text);
            }
        }
        // At the ends, doubled, and next to characters that do not need them.
        for text in [
            "\u{200d}क",
            "क\u{200d}",
            "ق\u{200c}",
            "م\u{200c}\u{200c}ی",
            "क \u{200d}क",
            "कa\u{200d}क",
            "\u{1f469}\u{200d}",
            "\u{1f469}\u{200d}a",
            "1\u{fe0f}",
            "\u{1f3f4}\u{e0067}\u{e007f}",
        ] {
            assert!(name(text, 255).is_err(), "{text:?}");
        }
        for blank in ["", " ", "\u{2800}", "\u{200b}", "\u{3000}\u{2800}"] {
            assert!(name(blank, 255).is_err(), "{blank:?}");
        }
        assert_eq!(printable("a\tb\r\n\u{1b}[31m"), "a\tb\r\n\\u001b[31m");
        assert_eq!(one_line("a\nb"), "a\\u000ab");
    }

    #[test]
    fn slugs_are_short_lower_case_and_never_empty() {
        for (name, expect) in [
            ("Checkout: shorter form!", "checkout-shorter-form"),
            ("  --A  ", "a"),
            ("Größe", "grosse"),
            ("Hellø_Wørld", "hello-world"),
            // The accent is a character of its own.
            ("re\u{301}sume\u{301}", "resume"),
            ("Новая цена", "novaia-tsena"),
            ("Καλάθι", "kalathi"),
            ("価格テスト", "jia-ge-tesuto"),
            ("가격 테스트", "gagyeog-teseuteu"),
            ("السعر", "lsr"),
            ("!?", "experiment"),
            ("🚀", "experiment"),
            ("2", "experiment-2"),
            ("２ für １", "2-fur-1"),
            ("abcdefghijklmnop", "abcdefghij"),
        ] {
            assert_eq!(slug(name, 10.max(expect.len()), "experiment"), expect, "{name}");
        }
    }

    #[test]
    fn numbered_keys_fit_the_limit() {
        for (base, number, expect) in
            [("key", 2, "key-2"), ("a-long-key", 4, "a-long-k-4"), ("a-long-key", 1_000, "a-lon-1000")]
        {
            assert_eq!(numbered(base, number, 10), expect);
        }
    }
}
