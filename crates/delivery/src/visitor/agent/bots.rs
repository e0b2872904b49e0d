//! Crawlers, libraries and other programs.

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Patterns that identify bots.
pub(super) struct BotPatterns {
    words: AhoCorasick,
    patterns: Vec<Regex>,
    bot_words: AhoCorasick,
}

/// Words of bots that the list does not have yet, in any case: their names, the address of a page about
/// them, the tool that drives them. The first counts only as a separate word or as the end of one, and
/// not in the name of a phone.
const BOT_WORDS: [&str; 12] = [
    "bot",
    "crawl",
    "spider",
    "scraper",
    "headless",
    "phantomjs",
    "selenium",
    "puppeteer",
    "playwright",
    "+http://",
    "+https://",
    "+ http",
];
/// Libraries and programs, by the beginning of their user agents, in any case.
const LIBRARIES: [&str; 28] = [
    "apache-httpclient",
    "axios",
    "bun",
    "curl",
    "deno",
    "faraday",
    "go-http-client",
    "got",
    "guzzle",
    "guzzlehttp",
    "httpie",
    "hyper",
    "insomnia",
    "java",
    "k6",
    "libcurl",
    "node",
    "okhttp",
    "perl",
    "php",
    "postmanruntime",
    "python",
    "reqwest",
    "ruby",
    "undici",
    "ureq",
    "wget",
    "wrk",
];

impl BotPatterns {
    /// Most patterns are plain words with some escapes: all of those are searched in one pass. The few
    /// remaining patterns are separate regular expressions, each with a small memory limit, so that no
    /// text makes them grow.
    pub(super) fn build(list: &str) -> BotPatterns {
        let plain = list.lines().filter_map(word);
        let patterns = list.lines().filter(|pattern| word(pattern).is_none());
        let regex = |pattern| RegexBuilder::new(pattern).dfa_size_limit(64 << 10).build().expect("the list is tested");
        BotPatterns {
            words: AhoCorasick::new(plain).expect("the list is tested"),
            patterns: patterns.map(regex).collect(),
            bot_words: AhoCorasick::builder().ascii_case_insensitive(true).build(BOT_WORDS).expect("a constant"),
        }
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        text.is_empty()
            || self.words.is_match(text)
            || self
                .bot_words
                .find_iter(text)
                .any(|found| found.pattern().as_usize() > 0 || ends_in_bot(text, found.range()))
            || LIBRARIES.iter().any(|library| starts_with(text, library))
            || self.patterns.iter().any(|pattern| pattern.is_match(text))
    }
}

/// Returns whether a `bot` is the end of a word and not in the name of a phone.
fn ends_in_bot(text: &str, bot: Range<usize>) -> bool {
    !text.as_bytes().get(bot.end).is_some_and(u8::is_ascii_alphabetic) && !is_phone_name(text, bot)
}

/// Returns whether a `bot` is in the name of a phone, as in `(Linux; Android 9; M BOT 551)` and
/// `CUBOT NOTE 20`: in the parentheses of Android's version. Programs have `compatible` there, or a
/// version after a slash: `Bot/1.0`.
fn is_phone_name(text: &str, bot: Range<usize>) -> bool {
    let platform = text[..bot.start].rsplit('(').next().unwrap_or_default().to_ascii_lowercase();
    let version = text[bot.end..].trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    platform.contains("android")
        && !platform.contains(')')
        && !platform.contains("compatible")
        && !version.starts_with('/')
}

/// Returns whether a text starts with a word, in any case.
fn starts_with(text: &str, word: &str) -> bool {
    let (text, length) = (text.as_bytes(), word.len());
    text.get(..length).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        && !text.get(length).is_some_and(u8::is_ascii_alphanumeric)
}

/// Returns the plain text that a pattern matches, if it matches only one.
pub(super) fn word(pattern: &str) -> Option<String> {
    let mut characters = pattern.chars();
    let mut word = String::with_capacity(pattern.len());
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.push(characters.next().filter(char::is_ascii_punctuation)?),
            '.' | '^' | '$' | '|' | '?' | '*' | '+' | '(' | ')' | '[' | ']' | '{' | '}' => return None,
            plain => word.push(plain),
        }
    }
    Some(word)
}
