//! File names for keys and slugs: valid on every file system, and distinct where case is ignored.

use std::collections::HashMap;

/// Names that Windows reserves for devices, with any extension.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// File names of the keys, in the order of `keys`.
///
/// A file name equals its key, except for characters that are written as `%` and two hexadecimal digits: a `.` at the
/// beginning or end, the first letter of a name that Windows reserves, and the capitals of keys that differ only in
/// case. `None` for a key with characters other than `A-Za-z0-9._-`, which no server assigns.
pub(crate) fn file_names(keys: &[&str]) -> Vec<Option<String>> {
    let mut folded: HashMap<String, usize> = HashMap::new();
    for key in keys {
        *folded.entry(key.to_ascii_lowercase()).or_default() += 1;
    }
    let is_alone = |key: &str| folded.get(&key.to_ascii_lowercase()) == Some(&1);
    keys.iter().map(|key| muriel_domain::text::key(key).is_ok().then(|| encoded(key, !is_alone(key)))).collect()
}

fn encoded(key: &str, capitals: bool) -> String {
    let stem = key.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_reserved = RESERVED.contains(&stem.as_str());
    let mut name = String::with_capacity(key.len());
    for (at, letter) in key.char_indices() {
        let is_end = at == 0 || at + 1 == key.len();
        let escape = match letter {
            '.' => is_end,
            letter => (letter.is_ascii_uppercase() && capitals) || (at == 0 && is_reserved),
        };
        if escape {
            name.push_str(&format!("%{:02X}", u32::from(letter)));
        } else {
            name.push(letter);
        }
    }
    name
}

/// Key of a file name; `None` if it is not one of a key.
pub(crate) fn key_of(name: &str) -> Option<String> {
    let mut key = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        if letter == '%' {
            let digits = rest.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            key.push(char::from(u8::from_str_radix(digits, 16).ok()?));
            rest = &rest[2..];
        } else {
            key.push(letter);
        }
    }
    muriel_domain::text::key(&key).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_lead_back() {
        for (keys, expect) in [
            (&["short-form", "v1.2_x"][..], &["short-form", "v1.2_x"][..]),
            (&["CheckOut"], &["CheckOut"]),
            (&["a", "A", "b"], &["a", "%41", "b"]),
            (&["aB", "Ab"], &["a%42", "%41b"]),
            (&[".", "..", ".git", "a."], &["%2E", "%2E%2E", "%2Egit", "a%2E"]),
            (&["con", "NUL.x", "console"], &["%63on", "%4EUL.x", "console"]),
            (&["com1.experiment", "lpt10"], &["%63om1.experiment", "lpt10"]),
        ] {
            let names: Vec<String> = file_names(keys).into_iter().flatten().collect();
            assert_eq!(names, expect);
            let back: Vec<String> = names.iter().filter_map(|name| key_of(name)).collect();
            assert_eq!(back, keys);
        }
    }

    #[test]
    fn what_is_no_key_has_no_name() {
        for key in ["", "a/b", "../x", "a b", "\u{e9}", "a%2Fb", &"a".repeat(65)] {
            assert_eq!(file_names(&[key]), [None], "{key}");
        }
        for name in ["", "a b", "%", "%4", "%zz", "%2F", "a%00", "\u{e9}", "%\u{e9}a", "%+1"] {
            assert_eq!(key_of(name), None, "{name}");
        }
    }
}
