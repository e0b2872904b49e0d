//! Portable regular expressions compared with V8: the same answers, and in short time.
//!
//! Needs `node`, as the web checks do.

use muriel_domain::pattern::portable;
use std::io::Write;
use std::process::{Command, Stdio};

/// Xorshift generator: the same cases on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.roll(of.len())]
    }

    /// Returns an expression that is mostly well-formed.
    fn expression(&mut self, depth: usize) -> String {
        const ATOMS: &[&str] = &[
            "a", "b", "/", "-", "=", "ab", "a/b", ".", r"\.", r"\/", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", "[ab]",
            "[^/]", "[a-c]", "[^a-c/]", r"[\w-]", r"[^\w.]", r"\x61", r"\u0062", "[+--]", r"\-", r"[\]a]", "1", "_",
            "A", "%2F", r"[\s\S]", r"[^\S]",
        ];
        const SIGNS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}", "{0,2}?", "{0}", "{0,1}"];
        const PLACES: &[&str] = &["^", "$", r"\b", r"\B"];
        let kind = self.roll(if depth == 0 { 4 } else { 10 });
        match kind {
            0..=2 => self.pick(ATOMS).to_owned(),
            3 if self.roll(3) == 0 => self.pick(PLACES).to_owned(),
            3 => self.pick(ATOMS).to_owned() + self.pick(SIGNS),
            4 | 5 => self.expression(depth - 1) + &self.expression(depth - 1),
            6 => self.expression(depth - 1) + &self.expression(depth - 1) + &self.expression(depth - 1),
            7 => format!("({}|{})", self.expression(depth - 1), self.expression(depth - 1)),
            8 => format!("(?:{}){}", self.expression(depth - 1), self.pick(SIGNS)),
            _ => format!("({}){}", self.expression(depth - 1), self.pick(SIGNS)),
        }
    }

    /// Returns a text that parsers can fail on; mostly malformed.
    fn soup(&mut self) -> String {
        const PIECES: &[&str] = &[
            "[",
            "[",
            "]",
            "]",
            "^",
            "-",
            "--",
            "&&",
            "~~",
            "&",
            "(",
            ")",
            "(?:",
            "(?<n>",
            "(?<m>",
            "(?P<n>",
            "(?i)",
            "|",
            "*",
            "+",
            "?",
            "{2}",
            "{,2}",
            "{1,}",
            "{1, 2}",
            "{",
            "}",
            "$",
            r"\b",
            r"\B",
            r"\d",
            r"\W",
            r"\_",
            r"\<",
            r"\-",
            r"\]",
            r"\[",
            r"\\",
            r"\^",
            r"\x41",
            r"\u0042",
            r"\0",
            r"\1",
            r"\cA",
            r"\k<n>",
            r"\/",
            "a",
            "b",
            "z",
            "A",
            "9",
            ":",
            "[:alpha:]",
            ".",
            ",",
            "/",
            "=",
            "!",
            "<",
            ">",
            "#",
            " ",
            r"\n",
            r"\t",
            r"\v",
            r"\ ",
            "~",
            "%",
            "\"",
            "'",
            "`",
            ";",
            "@",
            "_",
        ];
        let length = 1 + self.roll(9);
        (0..length).map(|_| self.pick(PIECES)).collect()
    }

    /// Returns texts that the expression could match: short ones, and long ones that repeat its
    /// characters.
    fn texts(&mut self, pattern: &str) -> Vec<String> {
        let own: Vec<char> = pattern.chars().filter(|c| c.is_ascii_graphic()).chain("ab/=-1_A.~".chars()).collect();
        let mut texts = Vec::new();
        for _ in 0..40 {
            let length = 1 + self.roll(8);
            texts.push((0..length).map(|_| own[self.roll(own.len())]).collect());
        }
        for byte in 0x21..0x7F_u8 {
            texts.push(char::from(byte).to_string());
        }
        for parts in 1..=3 {
            for _ in 0..3 {
                let mut text = String::new();
                for _ in 0..parts {
                    let length = 1 + self.roll(3);
                    let word: String = (0..length).map(|_| own[self.roll(own.len())]).collect();
                    text.push_str(&word.repeat(2_048 / parts / length));
                }
                texts.push(text);
            }
        }
        texts
    }
}

#[test]
fn v8_agrees_and_answers_soon() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut patterns = std::collections::BTreeSet::new();
    for _ in 0..1_200 {
        patterns.insert(dice.expression(3));
    }
    for _ in 0..25_000 {
        patterns.insert(dice.soup());
    }
    // The expressions that come closest to the time limit.
    patterns.extend(
        [
            ".*=",
            "^.*.*=",
            r"\w+@",
            "order.*confirm",
            r"^https?://([a-z0-9-]+\.)*shop\.(com|de|co\.uk)(:\d+)?/",
            "/(a|b|c).*[?&]x=1",
            ".*(a|b|c|d|e|f|g|h)=",
            "(.*)(aaa|bbb|ccc)=",
            "[^/]+/[^/]+/x",
            r"\d+\w*!",
            "(a|b)+b!",
        ]
        .map(str::to_owned),
    );

    let mut cases = Vec::new();
    for pattern in patterns {
        if let Ok(regex) = portable(&pattern) {
            let texts = dice.texts(&pattern);
            cases.push((pattern, regex, texts));
        }
    }
    assert!(cases.len() > 3_000, "{} expressions", cases.len());

    let mut node = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pattern.js"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node cannot be started: install Node.js 20 or newer");
    let asked: Vec<_> = cases.iter().map(|(pattern, _, texts)| (pattern, texts)).collect();
    node.stdin.take().unwrap().write_all(&serde_json::to_vec(&asked).unwrap()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers: Vec<(serde_json::Value, f64)> = serde_json::from_slice(&output.stdout).unwrap();

    assert_eq!(answers.len(), cases.len());
    let (mut matches, mut slowest) = (0, (0.0, ""));
    for ((pattern, regex, texts), (theirs, milliseconds)) in cases.iter().zip(&answers) {
        let Some(theirs) = theirs.as_array() else { panic!("{pattern}: {theirs}") };
        for (text, theirs) in texts.iter().zip(theirs) {
            assert_eq!(regex.is_match(text), theirs == true, "{pattern} on {text}");
            matches += usize::from(theirs == true);
        }
        if *milliseconds > slowest.0 {
            slowest = (*milliseconds, pattern);
        }
    }
    println!("{} expressions, {matches} matches, slowest {slowest:?}", cases.len());
    // Several times the measured maximum.
    assert!(slowest.0 < 250.0, "{slowest:?} ms");
}
