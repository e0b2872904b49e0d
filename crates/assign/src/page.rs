//! URL rules, and how they match page addresses.
//!
//! `docs/assignment-pages.md` specifies them; `contract/assignment/url.json` has examples.

use muriel_domain::address::{Address, AddressParts, after_scheme, ascii};
use muriel_domain::targeting::{UrlMatch, UrlRule};
use muriel_domain::{Flaw, pattern};

/// A compiled entry of `url_rule`. The caller decides whether a match includes or excludes.
///
/// Except in regular expressions, blanks, tabs and line ends around the rule's text are ignored, and step 1 of
/// [`Address`] is applied to it, without the length limit.
///
/// *Simple* and *exact* split the text like an address. A text that begins with `http://` or `https://` is a whole
/// address. A text that begins with a single `/` is a path, on any host and scheme. Any other text is an address
/// without scheme, which matches both schemes; a leading `//` is ignored. Two paths, queries or fragments are equal
/// when they are equal byte for byte, with the letters of percent-escapes in any case.
///
/// - *Simple*: same host, ignoring a leading `www.`; same port; same path, ignoring a trailing `/`. If the rule has a
///   fragment that is a route (`#/…` or `#!/…`), also the same route, ignoring everything after a `?` and a trailing
///   `/`. Scheme, query and other fragments are ignored.
/// - *Exact*: same scheme (if the rule has one), host, port, path and query, and same fragment if the rule has one.
///
/// The other three compare with the text of the plain form:
///
/// - *Contain*: the rule's text occurs in it, ignoring letter case (A–Z).
/// - *Wildcard*: the rule's text matches all of it, ignoring letter case (A–Z); `*` stands for any run of characters,
///   including none. A pattern in which `://` comes before any other `/` is compared from the scheme on; a pattern that
///   begins with a single `/` from the path on; any other from the host on (a leading `//` is ignored). The address is
///   tried with its query, without it, and, when its path is `/`, also without the path. The fragment is included only
///   if the pattern has a `#`.
/// - *Regex*: the expression, as allowed by [`pattern::portable`], matches somewhere in it. Letter case counts.
///
/// # Examples
///
/// ```
/// use muriel_assign::page::PageRule;
/// use muriel_domain::address::Address;
/// use muriel_domain::targeting::{UrlMatch, UrlRule};
///
/// let matches = |rule, url: &str, address: &str| {
///     let rule = UrlRule { url: url.to_owned(), rule, allowed: true };
///     PageRule::compile(&rule).unwrap().matches(&Address::parse(address).unwrap())
/// };
/// let page = "https://www.shop.example/sale/?utm_source=mail#top";
/// assert!(matches(UrlMatch::Simple, "shop.example/sale", page));
/// assert!(!matches(UrlMatch::Exact, "shop.example/sale", page)); // another host, another path
/// assert!(matches(UrlMatch::Wildcard, "*.shop.example/sale/*", page));
/// assert!(matches(UrlMatch::Contain, "SALE", page));
/// assert!(matches(UrlMatch::Regex, "/sale/?[?]", page));
/// ```
#[derive(Debug, Clone)]
pub struct PageRule(UrlMatcher);

/// A compiled comparison of a rule's text with an address.
#[derive(Debug, Clone)]
enum UrlMatcher {
    /// Same page: ignores scheme, query, and fragments that are not routes.
    Simple(PagePattern),
    /// Same address.
    Exact(PagePattern),
    /// The text in lower case, which must occur in the address.
    Contain(String),
    /// A pattern with stars.
    Wildcard(Wildcard),
    /// A regular expression that JavaScript and Rust read in the same way.
    Regex(regex::Regex),
}

impl PageRule {
    /// Compiles a rule. The caller handles whether it includes or excludes ([`UrlRule::allowed`]).
    ///
    /// # Errors
    /// A regular expression that is not portable.
    pub fn compile(rule: &UrlRule) -> Result<Self, Flaw> {
        let text = || ascii(rule.url.trim_matches([' ', '\t', '\r', '\n']), usize::MAX);
        Ok(Self(match rule.rule {
            UrlMatch::Simple => UrlMatcher::Simple(PagePattern::of(&text())),
            UrlMatch::Exact => UrlMatcher::Exact(PagePattern::of(&text())),
            UrlMatch::Contain => UrlMatcher::Contain(text().to_ascii_lowercase()),
            UrlMatch::Wildcard => UrlMatcher::Wildcard(Wildcard::of(&text().to_ascii_lowercase())),
            UrlMatch::Regex => UrlMatcher::Regex(pattern::portable(&rule.url)?),
        }))
    }

    /// Returns whether the rule matches this address. The time is bounded by the length of both, whatever the pattern.
    pub fn matches(&self, address: &Address) -> bool {
        match &self.0 {
            UrlMatcher::Simple(page) => page.is_page_of(address),
            UrlMatcher::Exact(page) => page.is_address(address),
            UrlMatcher::Contain(part) => address.folded().contains(part.as_str()),
            UrlMatcher::Wildcard(wildcard) => wildcard.matches(address),
            UrlMatcher::Regex(regex) => regex.is_match(address.as_str()),
        }
    }
}

/// Parts of a *simple* or *exact* rule.
#[derive(Debug, Clone)]
struct PagePattern {
    /// `http` or `https`; `None` for either.
    scheme: Option<&'static str>,
    /// Host in lower case and port. `None` when the rule is a path, which matches any host.
    authority: Option<String>,
    /// Path from its first `/`; `/` when the rule has none.
    path: String,
    /// Query with its `?`; empty without one.
    query: String,
    /// Fragment with its `#`. Empty without one, and any fragment matches then.
    fragment: String,
}

impl PagePattern {
    /// Splits a rule's text, which is in plain form.
    fn of(text: &str) -> Self {
        let whole = ["http", "https"].into_iter().find_map(|scheme| Some((scheme, after_scheme(text, scheme)?)));
        let (scheme, text) = whole.map_or((None, text), |(scheme, after)| (Some(scheme), after));
        let is_path = scheme.is_none() && is_path(text);
        let parts = AddressParts::of(if scheme.is_none() { without_slashes(text) } else { text });
        Self {
            scheme,
            authority: (!is_path).then(|| parts.host.to_ascii_lowercase() + parts.port),
            path: parts.path.to_owned(),
            query: parts.query.to_owned(),
            fragment: parts.fragment.to_owned(),
        }
    }

    /// Returns whether the address is on this page, by the rules of *simple*: ignores a leading `www.` of the host and
    /// a trailing `/` of the path.
    fn is_page_of(&self, address: &Address) -> bool {
        fn bare(authority: &str) -> &str {
            authority.strip_prefix("www.").unwrap_or(authority)
        }
        fn open(path: &str) -> &str {
            path.strip_suffix('/').unwrap_or(path)
        }
        self.authority.as_deref().is_none_or(|authority| bare(authority) == bare(address.authority()))
            && same(open(&self.path), open(address.path()))
            && route(without_mark(&self.fragment))
                .is_none_or(|named| address.fragment().and_then(route).is_some_and(|here| same(named, here)))
    }

    /// Returns whether this is the address, by the rules of *exact*. Scheme, host and fragment may be anything when the
    /// rule leaves them out.
    fn is_address(&self, address: &Address) -> bool {
        self.scheme.is_none_or(|scheme| scheme == address.scheme())
            && self.authority.as_deref().is_none_or(|authority| authority == address.authority())
            && same(&self.path, address.path())
            && same(without_mark(&self.query), address.query().unwrap_or_default())
            && (self.fragment.is_empty() || same(without_mark(&self.fragment), address.fragment().unwrap_or_default()))
    }
}

/// Returns whether a rule's text without scheme is a path, and not a host with a path.
fn is_path(text: &str) -> bool {
    text.starts_with('/') && !text.starts_with("//")
}

/// The text of a query or a fragment without its `?` or `#`.
fn without_mark(part: &str) -> &str {
    part.strip_prefix(['?', '#']).unwrap_or(part)
}

/// Returns the application route in a fragment such as `#/cart` or `#!/cart`, without parameters and a trailing `/`.
/// `fragment` is given without its `#`.
fn route(fragment: &str) -> Option<&str> {
    let path = fragment.split('?').next().unwrap_or_default();
    let is_route = fragment.starts_with('/') || fragment.starts_with("!/");
    is_route.then(|| path.strip_suffix('/').unwrap_or(path))
}

/// The text without a leading `//`, which means "any scheme".
fn without_slashes(text: &str) -> &str {
    text.strip_prefix("//").unwrap_or(text)
}

/// Returns whether two texts are equal byte for byte, with the digits of percent-escapes in any letter case.
fn same(left: &str, right: &str) -> bool {
    fn escape(rest: &[u8]) -> Option<[u8; 2]> {
        match rest {
            [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                Some([high.to_ascii_lowercase(), low.to_ascii_lowercase()])
            }
            _ => None,
        }
    }
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    left.len() == right.len()
        && loop {
            if at == left.len() {
                break true;
            }
            let here = escape(&left[at..]);
            if here.is_some() && here == escape(&right[at..]) {
                at += 3;
            } else if left[at] == right[at] {
                at += 1;
            } else {
                break false;
            }
        }
}

/// A wildcard pattern in lower case, split at its stars.
#[derive(Debug, Clone)]
struct Wildcard {
    /// Part of the address at which the comparison begins.
    from: MatchFrom,
    /// True when fragments are compared.
    fragment: bool,
    /// Text before the first star; the whole pattern when it has none.
    head: String,
    /// Texts between two stars, without empty ones.
    middle: Vec<String>,
    /// Text after the last star.
    tail: Option<String>,
}

/// Part of an address at which a pattern begins.
#[derive(Debug, Clone, Copy)]
enum MatchFrom {
    /// At the scheme: the pattern has `://` before any other `/`.
    Scheme,
    /// At the host.
    Host,
    /// At the path: the pattern begins with a single `/`.
    Path,
}

impl Wildcard {
    /// Splits a pattern, which is in lower case.
    fn of(pattern: &str) -> Self {
        let slash = pattern.find('/').unwrap_or(pattern.len());
        let from = if pattern[..slash].ends_with(':') && pattern[slash..].starts_with("//") {
            MatchFrom::Scheme
        } else if is_path(pattern) {
            MatchFrom::Path
        } else {
            MatchFrom::Host
        };
        let mut pieces = without_slashes(pattern).split('*');
        let head = pieces.next().unwrap_or_default().to_owned();
        let tail = pieces.next_back().map(str::to_owned);
        let middle = pieces.filter(|piece| !piece.is_empty()).map(str::to_owned).collect();
        Self { from, fragment: pattern.contains('#'), head, middle, tail }
    }

    /// Returns whether the address matches with its query, without it, or without a path that is only `/`.
    fn matches(&self, address: &Address) -> bool {
        let text = address.folded();
        // Folding keeps lengths, as it only changes A–Z to a–z.
        let host_at = address.scheme().len() + "://".len();
        let path_at = host_at + address.authority().len();
        let path_end = path_at + address.path().len();
        let query_end = path_end + address.query().map_or(0, |query| "?".len() + query.len());
        let from = match self.from {
            MatchFrom::Scheme => 0,
            MatchFrom::Host => host_at,
            MatchFrom::Path => path_at,
        };
        let fragment = if self.fragment { &text[query_end..] } else { "" };
        let is = |end: usize| {
            if fragment.is_empty() {
                self.is(&text[from..end])
            } else {
                self.is(&[&text[from..end], fragment].concat())
            }
        };
        is(query_end) || (query_end > path_end && is(path_end)) || (address.path() == "/" && is(path_at))
    }

    /// Returns whether the whole text matches. Taking the first occurrence of each piece leaves the most room for the
    /// others, so no backtracking is needed.
    fn is(&self, text: &str) -> bool {
        let Some(mut text) = text.strip_prefix(self.head.as_str()) else { return false };
        let Some(tail) = &self.tail else { return text.is_empty() };
        for piece in &self.middle {
            let Some(at) = text.find(piece.as_str()) else { return false };
            text = &text[at + piece.len()..];
        }
        text.ends_with(tail.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(url: &str, rule: UrlMatch) -> PageRule {
        PageRule::compile(&UrlRule { url: url.to_owned(), rule, allowed: true }).unwrap()
    }

    #[test]
    fn rules_that_are_no_portable_expressions_do_not_compile() {
        let stored = UrlRule { url: "(?i)shop".to_owned(), rule: UrlMatch::Regex, allowed: true };
        assert!(PageRule::compile(&stored).is_err());
    }

    /// Reference implementation: tries every way to match `text`.
    fn naive(pattern: &[u8], text: &[u8]) -> bool {
        match pattern {
            [] => text.is_empty(),
            [b'*', pattern @ ..] => (0..=text.len()).any(|taken| naive(pattern, &text[taken..])),
            [first, pattern @ ..] => text.first() == Some(first) && naive(pattern, &text[1..]),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

        #[test]
        fn wildcards_agree_with_a_naive_matcher(pattern in "[ab*]{0,10}", text in "[ab]{0,12}") {
            prop_assert_eq!(Wildcard::of(&pattern).is(&text), naive(pattern.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn any_rule_is_compared_with_any_address(text in "(https?://)?\\PC*", more in any::<String>(), url in any::<String>()) {
            for text in [text.clone(), format!("http://{more}"), format!("{text}{more}")] {
                let Some(address) = Address::parse(&text) else { continue };
                for kind in [UrlMatch::Simple, UrlMatch::Exact, UrlMatch::Contain, UrlMatch::Wildcard] {
                    rule(&url, kind).matches(&address);
                }
            }
        }

        #[test]
        fn an_address_is_the_rule_that_matches_it(text in "https?://[a-z.]{1,9}(:[0-9]{1,4})?(/[a-zA-Z%ü]{0,5}){0,3}(\\?[a-z=&]{0,6})?(#[a-z]{0,3})?") {
            let Some(address) = Address::parse(&text) else { return Ok(()) };
            for kind in [UrlMatch::Simple, UrlMatch::Exact, UrlMatch::Contain, UrlMatch::Wildcard] {
                // A host that ends with two dots loses one each time it is parsed.
                if !address.host().ends_with('.') {
                    prop_assert!(rule(address.as_str(), kind).matches(&address), "{:?}", kind);
                }
            }
        }

        #[test]
        fn scheme_and_www_do_not_count_for_simple_rules(
            host in "[a-z]{1,5}\\.example", path in "(/[a-z]{0,3}){0,3}", other in "(/[a-z]{0,3}){0,3}", extra in "(\\?[a-z]{0,3})?(#[a-z]{0,3})?",
        ) {
            let starts = ["http://", "https://", "HTTPS://www.", "http://www.", "https://WWW."];
            let mut answers = Vec::new();
            for start in starts {
                for begin in starts {
                    let text = format!("{begin}{host}{path}{extra}");
                    let address = Address::parse(&text).unwrap();
                    answers.push(rule(&format!("{start}{host}{other}"), UrlMatch::Simple).matches(&address));
                }
            }
            prop_assert!(answers.iter().all(|answer| *answer == answers[0]));
            let is_same = path.strip_suffix('/').unwrap_or(&path) == other.strip_suffix('/').unwrap_or(&other);
            prop_assert_eq!(answers[0], is_same);
        }
    }
}
