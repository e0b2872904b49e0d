//! Regular expressions that mean the same on the server and in a browser.
//!
//! Page rules are evaluated on servers, where the `regex` crate takes linear time for any
//! expression, and in browsers, whose engines backtrack. An expression therefore has to pass two
//! checks when it is written. `Translator` allows only syntax that both read in the same way.
//! `Cost` allows only expressions that a backtracking engine finishes quickly on every text.

use crate::Flaw;
use regex_syntax::ast::{self, Ast};
use std::collections::HashMap;

/// Maximum length of an expression, in bytes.
const BYTES_MAX: usize = 512;
/// Maximum length of a text, in characters.
const TEXT_MAX: usize = 2_048;
/// Maximum number of positions for a character, after counted repetitions are expanded.
const PLACES_MAX: usize = 500;
/// Maximum number of pairs of positions that can follow each other.
const EDGES_MAX: usize = 2_000;
/// Maximum number of steps of a backtracking engine on the worst text, as overestimated by [`Cost::steps`]. In the
/// tests, V8 takes at most 20 ms.
const STEPS_MAX: f64 = 32e6;

/// Compiles a regular expression that gives the same answer here (`is_match`) and in JavaScript (`new
/// RegExp(pattern).test(text)`), on every text of the characters `!` to `~` (0x21–0x7E). Other texts may give different
/// answers. On texts of up to 2,048 characters, a backtracking engine finishes quickly.
///
/// Allowed, in at most 512 bytes of printable ASCII: characters that stand for themselves (not `]` and `}`); escaped
/// punctuation; `\n \r \t \f \v \xHH \uHHHH` for ASCII; `.`; `^ $ \b \B`; `\d \w \s \D \W \S`; classes in brackets of
/// such characters, ranges and escapes, with `-` at either end; `|`; groups `(…)`, `(?:…)` and `(?<name>…)`; and, after
/// a character, a class or a group, `* + ? {n} {n,} {n,m}`, also in lazy form.
///
/// ```
/// use muriel_domain::pattern::portable;
///
/// assert!(portable(r"^https://shop\.example/(de|en)/[^/]+$").unwrap().is_match("https://shop.example/de/boots"));
/// let refused = portable("(a+)+$").unwrap_err().to_string();
/// assert!(refused.contains("more than one way"), "{refused}");
/// ```
///
/// # Errors
/// Any other syntax, and expressions that are too large or could take long. The message names the place, in bytes from
/// 0.
pub fn portable(pattern: &str) -> Result<regex::Regex, Flaw> {
    if pattern.len() > BYTES_MAX {
        return Err(Flaw::new("must have at most 512 bytes"));
    }
    if let Some((at, character)) = pattern.char_indices().find(|(_, c)| !matches!(c, ' '..='~')) {
        return Err(if character.is_ascii() {
            refused(at, "has a control character", "addresses never contain one")
        } else {
            let mut bytes = [0; 4];
            let escapes: String =
                character.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")).collect();
            refused(at, &format!("has {character}"), &format!("write {escapes}, as addresses do"))
        });
    }
    let ast = ast::parse::Parser::new().parse(pattern).map_err(malformed)?;
    let node = Translator { pattern }.node(&ast)?;
    let mut same = String::new();
    node.write(&mut same);
    // Same limits as in `goal::regular_expression`, for the same reason.
    let regex = regex::RegexBuilder::new(&same)
        .unicode(false)
        .size_limit(32 << 10)
        .dfa_size_limit(32 << 10)
        .build()
        .map_err(|_| too_large())?;
    Cost::check(&node)?;
    Ok(regex)
}

/// A flaw at a byte of the expression: the construct, and the reason for refusing it.
fn refused(at: usize, what: &str, why: &str) -> Flaw {
    Flaw::new(format!("{what} at byte {at}: {why}"))
}

fn too_large() -> Flaw {
    Flaw::new("is too large a regular expression; use fewer or smaller repetitions")
}

/// The flaw of an expression that the parser refuses. Names common JavaScript syntax that the parser does not know.
fn malformed(error: ast::Error) -> Flaw {
    let at = error.span().start.offset;
    match error.kind() {
        ast::ErrorKind::UnsupportedLookAround => {
            refused(at, "has a look-around", "that cannot be matched in linear time")
        }
        ast::ErrorKind::UnsupportedBackreference => refused(
            at,
            "has a back-reference or an octal escape",
            "those cannot be matched in linear time, or mean different things to different engines",
        ),
        kind => refused(at, "is not a regular expression that every engine reads alike", &kind.to_string()),
    }
}

/// A set of the characters 0x21–0x7E, one bit each.
type Set = u128;

/// All characters, 0x21–0x7E.
const ANY: Set = ((1 << 0x7F) - 1) & !((1 << 0x21) - 1);

/// The characters from `first` to `last`, both included. Characters outside 0x21–0x7E are dropped.
fn range(first: u8, last: u8) -> Set {
    (first..=last).filter(|byte| *byte < 0x80).fold(0, |set, byte| set | 1 << byte) & ANY
}

/// An expression without the parts that do not affect whether it matches: groups, and laziness of repetitions.
#[derive(Clone)]
enum Node {
    /// One character.
    Set(Set),
    /// A position in the text: `^ $ \b \B`.
    Assertion(&'static str),
    Concat(Vec<Node>),
    Any(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: usize,
        max: Option<usize>,
        at: usize,
    },
}

impl Node {
    /// Returns whether the node can match without taking a character.
    fn is_nullable(&self) -> bool {
        match self {
            Self::Set(_) => false,
            Self::Assertion(_) => true,
            Self::Concat(nodes) => nodes.iter().all(Self::is_nullable),
            Self::Any(nodes) => nodes.iter().any(Self::is_nullable),
            Self::Repeat { node, min, .. } => *min == 0 || node.is_nullable(),
        }
    }

    /// Returns whether the node matches only at the beginning of a text.
    fn is_anchored(&self) -> bool {
        match self {
            Self::Set(_) => false,
            Self::Assertion(which) => *which == "^",
            Self::Concat(nodes) => {
                let assertions = nodes.iter().take_while(|node| matches!(node, Self::Assertion(_))).count();
                nodes.iter().take(assertions + 1).any(Self::is_anchored)
            }
            Self::Any(nodes) => nodes.iter().all(Self::is_anchored),
            Self::Repeat { node, min, .. } => *min > 0 && node.is_anchored(),
        }
    }

    /// Number of positions for a character, after repetitions are expanded.
    fn places(&self) -> usize {
        match self {
            Self::Set(_) => 1,
            Self::Assertion(_) => 0,
            Self::Concat(nodes) | Self::Any(nodes) => nodes.iter().map(Self::places).fold(0, usize::saturating_add),
            Self::Repeat { node, min, max, .. } => node.places().max(1).saturating_mul(max.unwrap_or(*min).max(1)),
        }
    }

    /// Writes the node as a regular expression for the `regex` crate.
    fn write(&self, out: &mut String) {
        match self {
            Self::Set(0) => out.push_str("[a&&b]"),
            Self::Set(set) => {
                out.push('[');
                let has = |byte: u8| set >> byte & 1 == 1;
                for first in (0x21..0x7F).filter(|&byte| has(byte) && !has(byte - 1)) {
                    let last = (first..0x7F).find(|&byte| !has(byte + 1)).unwrap_or(first);
                    out.push_str(&format!("\\x{first:02X}-\\x{last:02X}"));
                }
                out.push(']');
            }
            // Without Unicode mode, `\B` could split a character, and the crate refuses it.
            Self::Assertion("\\B") => out.push_str("(?u:\\B)"),
            Self::Assertion(which) => out.push_str(which),
            Self::Concat(nodes) => nodes.iter().for_each(|node| node.write(out)),
            Self::Any(nodes) => {
                out.push_str("(?:");
                for (index, node) in nodes.iter().enumerate() {
                    if index > 0 {
                        out.push('|');
                    }
                    node.write(out);
                }
                out.push(')');
            }
            Self::Repeat { node, min, max, .. } => {
                out.push_str("(?:");
                node.write(out);
                let max = max.map(|max| max.to_string()).unwrap_or_default();
                out.push_str(&format!("){{{min},{max}}}"));
            }
        }
    }
}

/// Translates an expression, refusing syntax that engines read differently.
struct Translator<'p> {
    pattern: &'p str,
}

impl Translator<'_> {
    fn node(&self, ast: &Ast) -> Result<Node, Flaw> {
        let at = ast.span().start.offset;
        Ok(match ast {
            Ast::Empty(_) => Node::Concat(Vec::new()),
            Ast::Flags(_) => return Err(flags(at)),
            Ast::Literal(literal) => {
                if literal.kind == ast::LiteralKind::Verbatim && matches!(literal.c, ']' | '}') {
                    let c = literal.c;
                    return Err(refused(at, &format!("has {c} on its own"), &format!("write \\{c}")));
                }
                Node::Set(set_of(character(literal)?))
            }
            Ast::Dot(_) => Node::Set(ANY),
            Ast::Assertion(assertion) => Node::Assertion(match assertion.kind {
                ast::AssertionKind::StartLine => "^",
                ast::AssertionKind::EndLine => "$",
                ast::AssertionKind::WordBoundary => "\\b",
                ast::AssertionKind::NotWordBoundary => "\\B",
                _ => {
                    let text = &self.pattern[at..assertion.span.end.offset];
                    return Err(refused(at, &format!("has {text}"), "JavaScript has only ^ $ \\b \\B"));
                }
            }),
            Ast::ClassUnicode(class) => return Err(unicode(class)),
            Ast::ClassPerl(class) => Node::Set(perl(class)),
            Ast::ClassBracketed(class) => Node::Set(self.class(class)?),
            Ast::Repetition(repetition) => self.repetition(repetition)?,
            Ast::Group(group) => {
                match &group.kind {
                    ast::GroupKind::CaptureIndex(_) => {}
                    ast::GroupKind::NonCapturing(list) if list.items.is_empty() => {}
                    ast::GroupKind::NonCapturing(_) => return Err(flags(at)),
                    ast::GroupKind::CaptureName { starts_with_p: true, .. } => {
                        return Err(refused(at, "has (?P<", "write (?<, as JavaScript does"));
                    }
                    ast::GroupKind::CaptureName { name, .. } => {
                        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                        if !name.name.bytes().all(allowed) {
                            let why = "JavaScript allows A-Z a-z 0-9 _ only";
                            return Err(refused(at, &format!("has a group named {}", name.name), why));
                        }
                    }
                }
                self.node(&group.ast)?
            }
            Ast::Alternation(alternation) => Node::Any(self.nodes(&alternation.asts)?),
            Ast::Concat(concat) => Node::Concat(self.nodes(&concat.asts)?),
        })
    }

    fn nodes(&self, asts: &[Ast]) -> Result<Vec<Node>, Flaw> {
        asts.iter().map(|ast| self.node(ast)).collect()
    }

    fn repetition(&self, repetition: &ast::Repetition) -> Result<Node, Flaw> {
        let op = &repetition.op;
        let (at, sign) = (op.span.start.offset, &self.pattern[op.span.start.offset..op.span.end.offset]);
        match *repetition.ast {
            Ast::Assertion(_) => {
                return Err(refused(at, &format!("repeats an assertion by {sign}"), "JavaScript refuses it"));
            }
            Ast::Repetition(_) => {
                return Err(refused(
                    at,
                    &format!("repeats a repetition by {sign}"),
                    "JavaScript refuses it; use a group",
                ));
            }
            Ast::Empty(_) => return Err(refused(at, &format!("has {sign}"), "there is nothing to repeat")),
            _ => {}
        }
        let (min, max) = match &op.kind {
            ast::RepetitionKind::ZeroOrOne => (0, Some(1)),
            ast::RepetitionKind::ZeroOrMore => (0, None),
            ast::RepetitionKind::OneOrMore => (1, None),
            ast::RepetitionKind::Range(range) => {
                // JavaScript reads anything else in braces as plain characters.
                let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let inner = sign.trim_end_matches('?').trim_start_matches('{').trim_end_matches('}');
                let (low, high) = inner.split_once(',').unwrap_or((inner, "0"));
                if !digits(low) || !(high.is_empty() || digits(high)) {
                    return Err(refused(at, &format!("has {sign}"), "write {n}, {n,} or {n,m} without blanks"));
                }
                match *range {
                    ast::RepetitionRange::Exactly(n) => (n as usize, Some(n as usize)),
                    ast::RepetitionRange::AtLeast(n) => (n as usize, None),
                    ast::RepetitionRange::Bounded(n, m) => (n as usize, Some(m as usize)),
                }
            }
        };
        let node = Box::new(self.node(&repetition.ast)?);
        if max != Some(1) && node.is_nullable() {
            let why = "the repeated part must take at least one character, as in (/[a-z]*)*";
            return Err(refused(at, &format!("repeats by {sign} a part that can be empty"), why));
        }
        Ok(Node::Repeat { node, min, max, at })
    }

    fn class(&self, class: &ast::ClassBracketed) -> Result<Set, Flaw> {
        let at = class.span.start.offset;
        let ast::ClassSet::Item(item) = &class.kind else {
            return Err(refused(at, "has a class with && -- or ~~", "JavaScript takes them for plain characters"));
        };
        let items = match item {
            ast::ClassSetItem::Union(union) => union.items.as_slice(),
            item => std::slice::from_ref(item),
        };
        let mut set = 0;
        for (index, item) in items.iter().enumerate() {
            let at = item.span().start.offset;
            set |= match item {
                ast::ClassSetItem::Empty(_) => 0,
                ast::ClassSetItem::Literal(literal) => {
                    if is_bare(literal, '-') && index > 0 && index + 1 < items.len() {
                        return Err(refused(at, "has - inside a class", "write \\-, or put it at the end"));
                    }
                    set_of(member(literal)?)
                }
                ast::ClassSetItem::Range(ends) => {
                    if is_bare(&ends.start, '-') || is_bare(&ends.end, '-') {
                        return Err(refused(at, "has a range from or to -", "write \\-"));
                    }
                    range(member(&ends.start)?, member(&ends.end)?)
                }
                ast::ClassSetItem::Perl(class) => perl(class),
                ast::ClassSetItem::Unicode(class) => return Err(unicode(class)),
                ast::ClassSetItem::Ascii(_) | ast::ClassSetItem::Bracketed(_) | ast::ClassSetItem::Union(_) => {
                    return Err(refused(at, "has a class inside a class", "JavaScript takes [ for itself; write \\["));
                }
            };
        }
        Ok(if class.negated { ANY & !set } else { set })
    }
}

fn flags(at: usize) -> Flaw {
    refused(at, "has flags", "JavaScript does not allow them inside an expression; write both letters, as in [Aa]")
}

fn unicode(class: &ast::ClassUnicode) -> Flaw {
    refused(class.span.start.offset, "has \\p or \\P", "JavaScript takes it for a plain letter")
}

fn is_bare(literal: &ast::Literal, character: char) -> bool {
    literal.kind == ast::LiteralKind::Verbatim && literal.c == character
}

/// Returns the character that a class names.
fn member(literal: &ast::Literal) -> Result<u8, Flaw> {
    let at = literal.span.start.offset;
    match literal.c {
        ']' if is_bare(literal, ']') => {
            Err(refused(at, "has ] at the beginning of a class", "JavaScript ends the class there; write \\]"))
        }
        '[' if is_bare(literal, '[') => Err(refused(at, "has [ inside a class", "write \\[")),
        _ => character(literal),
    }
}

/// Returns the character that a literal stands for. Refuses escapes that engines read differently.
fn character(literal: &ast::Literal) -> Result<u8, Flaw> {
    use ast::{HexLiteralKind, LiteralKind, SpecialLiteralKind};
    let at = literal.span.start.offset;
    let alike = match &literal.kind {
        LiteralKind::Verbatim => true,
        LiteralKind::Meta | LiteralKind::Superfluous => literal.c.is_ascii_punctuation(),
        LiteralKind::HexFixed(HexLiteralKind::X | HexLiteralKind::UnicodeShort) => true,
        LiteralKind::Special(special) => !matches!(special, SpecialLiteralKind::Bell | SpecialLiteralKind::Space),
        LiteralKind::HexFixed(_) | LiteralKind::HexBrace(_) | LiteralKind::Octal => false,
    };
    let why = "only escaped punctuation and \\n \\r \\t \\f \\v \\xHH \\uHHHH for ASCII are allowed";
    match u8::try_from(literal.c) {
        Ok(byte) if alike && byte.is_ascii() => Ok(byte),
        _ => Err(refused(at, "has an escape that engines read differently", why)),
    }
}

fn set_of(byte: u8) -> Set {
    range(byte, byte)
}

/// The characters of `\d`, `\w`, `\s` or their opposites, as in JavaScript without flags.
fn perl(class: &ast::ClassPerl) -> Set {
    let digits = range(b'0', b'9');
    let set = match class.kind {
        ast::ClassPerlKind::Digit => digits,
        ast::ClassPerlKind::Word => digits | range(b'A', b'Z') | range(b'a', b'z') | range(b'_', b'_'),
        // White space does not occur in the texts that expressions are matched with.
        ast::ClassPerlKind::Space => 0,
    };
    if class.negated { ANY & !set } else { set }
}

/// Cost of an expression in a backtracking engine.
///
/// The expression as a graph (Glushkov's construction, with counted repetitions expanded): a position takes a
/// character, and an edge leads to a position that can take the next one. The weight of an edge is the number of ways
/// in which one position leads to the other.
///
/// An engine backtracks to every edge that it could have taken instead. It has to try only one edge if the edges that
/// leave a position take different characters. If two edges inside a repetition take the same character, it may have to
/// try 2ⁿ ways of matching n characters. See A. Brüggemann-Klein, D. Wood, One-Unambiguous Regular Languages, 1998.
#[derive(Default)]
struct Cost {
    places: Vec<Position>,
    edges: usize,
    /// Positions of each unbounded repetition, with its byte offset in the expression.
    loops: Vec<(std::ops::Range<usize>, usize)>,
}

#[derive(Clone, Default)]
struct Position {
    set: Set,
    /// Positions that may come next.
    next: Vec<Edge>,
    /// Number of ways in which the expression can end here, if its assertions hold.
    ends: f64,
    /// True when the expression matches once this position is reached.
    is_sure: bool,
}

#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    weight: f64,
}

/// Part of an expression: its first and last positions.
#[derive(Default)]
struct Fragment {
    first: Vec<Edge>,
    last: Vec<Edge>,
    /// Number of ways in which the part can be empty.
    empty: f64,
    /// Last positions after which no assertion has to hold.
    sure: Vec<usize>,
    /// True when the part can be empty anywhere in a text.
    is_surely_empty: bool,
}

impl Cost {
    fn check(node: &Node) -> Result<(), Flaw> {
        if node.places() > PLACES_MAX {
            return Err(too_large());
        }
        let mut cost = Self::default();
        let whole = cost.part(node)?;
        for place in whole.sure {
            cost.places[place].is_sure = true;
        }
        for edge in &whole.last {
            cost.places[edge.to].ends += edge.weight;
        }
        let start = cost.places.len();
        let mut next = whole.first;
        // An unanchored expression: an engine starts again at every character until it matches.
        if !node.is_anchored() && !whole.is_surely_empty {
            next.push(Edge { to: start, weight: 1.0 });
        }
        cost.places.push(Position { set: ANY, next, ends: whole.empty, is_sure: whole.is_surely_empty });
        cost.space_words();
        if cost.steps(start) <= STEPS_MAX {
            return Ok(());
        }
        let mut shared: Vec<_> = cost.loops.iter().filter(|(places, _)| cost.is_shared(places)).collect();
        shared.sort_by_key(|(_, at)| *at);
        let places: Vec<_> = shared.iter().take(4).map(|(_, at)| at.to_string()).collect();
        Err(Flaw::new(if places.is_empty() {
            "could take long in a browser: too many of its parts can match the same text; write their common part once"
                .to_owned()
        } else {
            format!(
                "could take long in a browser: the repetition at byte {} can also match what follows; \
                 use fewer such repetitions, exclude what follows, as in [^/]*/, or begin with ^",
                places.join(" and ")
            )
        }))
    }

    fn part(&mut self, node: &Node) -> Result<Fragment, Flaw> {
        match node {
            Node::Set(set) => {
                let to = self.places.len();
                self.places.push(Position { set: *set, ..Position::default() });
                let edge = vec![Edge { to, weight: 1.0 }];
                Ok(Fragment { first: edge.clone(), last: edge, sure: vec![to], ..Fragment::default() })
            }
            Node::Assertion(_) => Ok(Fragment { empty: 1.0, ..Fragment::default() }),
            Node::Concat(nodes) => {
                let mut whole = Fragment { empty: 1.0, is_surely_empty: true, ..Fragment::default() };
                for (index, node) in nodes.iter().enumerate() {
                    let mut part = self.part(node)?;
                    // A `.*` followed by `$` cannot fail.
                    part.is_surely_empty |= matches!(node, Node::Assertion("$"))
                        && index.checked_sub(1).is_some_and(|before| {
                            matches!(&nodes[before], Node::Repeat { node, max: None, .. } if matches!(**node, Node::Set(ANY)))
                        });
                    whole = self.then(whole, part)?;
                }
                Ok(whole)
            }
            Node::Any(nodes) => {
                let mut whole = Fragment::default();
                for node in nodes {
                    let part = self.part(node)?;
                    whole.first.extend(part.first);
                    whole.last.extend(part.last);
                    whole.sure.extend(part.sure);
                    whole.empty += part.empty;
                    whole.is_surely_empty |= part.is_surely_empty;
                }
                Ok(whole)
            }
            Node::Repeat { node, min, max, at } => self.repeat(node, *min, *max, *at),
        }
    }

    /// Expands a repetition. The repeated node takes a character, or is repeated at most once.
    fn repeat(&mut self, node: &Node, min: usize, max: Option<usize>, at: usize) -> Result<Fragment, Flaw> {
        let empty = || Fragment { empty: 1.0, is_surely_empty: true, ..Fragment::default() };
        let mut tail = match max {
            Some(_) => empty(),
            None => {
                let from = self.places.len();
                let mut part = self.part(node)?;
                self.join(&part.last, &part.first)?;
                let places = from..self.places.len();
                if self.is_ambiguous(&places) {
                    return Err(refused(
                        at,
                        "has a repetition that can match the same text in more than one way",
                        "that can take a browser for ever; each character must belong to only one part, as in \
                         (/[^/]+)*",
                    ));
                }
                self.loops.push((places, at));
                if min == 0 {
                    (part.empty, part.is_surely_empty) = (part.empty + 1.0, true);
                }
                part
            }
        };
        let counted = max.unwrap_or(min.saturating_sub(1));
        for index in (0..counted).rev() {
            let part = self.part(node)?;
            tail = self.then(part, tail)?;
            if index >= min {
                (tail.empty, tail.is_surely_empty) = (tail.empty + 1.0, true);
            }
        }
        Ok(tail)
    }

    /// The part `before` followed by the part `after`.
    fn then(&mut self, before: Fragment, after: Fragment) -> Result<Fragment, Flaw> {
        self.join(&before.last, &after.first)?;
        let times = |edges: Vec<Edge>, weight: f64| {
            edges
                .into_iter()
                .filter(move |_| weight > 0.0)
                .map(move |edge| Edge { weight: edge.weight * weight, ..edge })
        };
        let mut whole = Fragment {
            first: before.first,
            last: after.last,
            empty: before.empty * after.empty,
            sure: after.sure,
            is_surely_empty: before.is_surely_empty && after.is_surely_empty,
        };
        whole.first.extend(times(after.first, before.empty));
        whole.last.extend(times(before.last, after.empty));
        if after.is_surely_empty {
            whole.sure.extend(before.sure);
        }
        Ok(whole)
    }

    /// Adds the edges from each of `last` to each of `first`; weights multiply.
    ///
    /// # Errors
    /// More than [`EDGES_MAX`] edges in all.
    fn join(&mut self, last: &[Edge], first: &[Edge]) -> Result<(), Flaw> {
        self.edges = self.edges.saturating_add(last.len().saturating_mul(first.len()));
        if self.edges > EDGES_MAX {
            return Err(too_large());
        }
        for from in last {
            let edges = first.iter().map(|edge| Edge { to: edge.to, weight: edge.weight * from.weight });
            self.places[from.to].next.extend(edges);
        }
        Ok(())
    }

    /// Returns whether, within these positions, one character can lead to two of them, or to one in two ways.
    fn is_ambiguous(&self, places: &std::ops::Range<usize>) -> bool {
        places.clone().any(|place| {
            let mut taken = 0;
            self.places[place].next.iter().filter(|edge| places.contains(&edge.to)).any(|edge| {
                let set = self.places[edge.to].set;
                let twice = set != 0 && (taken & set != 0 || edge.weight > 1.0);
                taken |= set;
                twice
            })
        })
    }

    /// Returns whether one character can lead both out of these positions and to one of them.
    fn is_shared(&self, places: &std::ops::Range<usize>) -> bool {
        places.clone().any(|place| {
            let (mut inside, mut outside) = (0, 0);
            for edge in &self.places[place].next {
                *(if places.contains(&edge.to) { &mut inside } else { &mut outside }) |= self.places[edge.to].set;
            }
            inside & outside != 0
        })
    }

    /// Limits how often a word of several characters is counted.
    ///
    /// When a repeated position (or the start, which also repeats) leads to a word, the word can begin after every
    /// character, but cannot be complete each time: `checkout` occurs at most 256 times in 2,048 characters. Such edges
    /// lead to a copy of the word. The weights in the copy are the shares of beginnings that can get that far.
    fn space_words(&mut self) {
        let mut copies = HashMap::new();
        for from in 0..self.places.len() {
            if !self.places[from].next.iter().any(|edge| edge.to == from) {
                continue;
            }
            for index in 0..self.places[from].next.len() {
                let head = self.places[from].next[index].to;
                // Otherwise the repetition ends where the word begins, so the word occurs once.
                if head != from && self.places[head].set & self.places[from].set != 0 {
                    let copy = *copies.entry(head).or_insert_with(|| self.spaced(head));
                    self.places[from].next[index].to = copy;
                }
            }
        }
    }

    /// Copies the word that begins at `head`; returns the first position of the copy.
    fn spaced(&mut self, head: usize) -> usize {
        let mut word = vec![head];
        while let [edge] = self.places[word[word.len() - 1]].next[..]
            && edge.weight <= 1.0
            && !word.contains(&edge.to)
        {
            word.push(edge.to);
        }
        // `fits[by]`: two occurrences can begin `by` characters apart.
        let mut fits = vec![true; word.len() + 1];
        let mut distances = vec![1_u16; word.len()];
        for end in 0..word.len() {
            for by in 1..=end {
                fits[by] &= self.places[word[end]].set & self.places[word[end - by]].set != 0;
            }
            distances[end] = (1..).zip(&fits[1..]).find(|(_, fits)| **fits).map_or(1, |(by, _)| by);
        }
        let mut to = word[word.len() - 1];
        for index in (0..word.len() - 1).rev() {
            let weight = f64::from(distances[index]) / f64::from(distances[index + 1]);
            let copy = Position { next: vec![Edge { to, weight }], ..self.places[word[index]].clone() };
            to = self.places.len();
            self.places.push(copy);
        }
        to
    }

    /// Estimates the steps for the worst text from this position on. Mostly an overestimate, as each of several ways
    /// may have a different worst text. Words count by their average share, which can be too low by one occurrence.
    fn steps(&self, start: usize) -> f64 {
        // Far above the bound, and small enough for exact enough differences.
        const MANY: f64 = 1e18;
        let choices: Vec<_> = self.places.iter().map(|place| self.choices(place)).collect();
        let ways = |place: &Position| 1.0 + place.ends + place.next.iter().map(|edge| edge.weight).sum::<f64>();
        let own: Vec<_> = self.places.iter().map(ways).collect();
        // For each position: the steps of a way that fails, and of a way on which the expression may match in the end.
        // Once a position is sure to match, the engine tries only later positions, so its first number is 0.
        let mut steps = vec![(0.0, 0.0); self.places.len()];
        let mut before = steps.clone();
        for _ in 0..=TEXT_MAX {
            std::mem::swap(&mut steps, &mut before);
            for (place, choices) in choices.iter().enumerate() {
                let (mut fails, mut matches) = (0.0, 0.0);
                for choice in choices {
                    let all: f64 = choice.iter().map(|edge| edge.weight * before[edge.to].0).sum();
                    let last = choice.iter().map(|edge| before[edge.to].1 - edge.weight.min(1.0) * before[edge.to].0);
                    fails = all.max(fails);
                    matches = (all + last.fold(0.0, f64::max)).max(matches);
                }
                fails = if self.places[place].is_sure { 0.0 } else { own[place] + fails };
                steps[place] = (fails.min(MANY), (own[place] + matches).min(MANY));
            }
            if steps[start].1 > STEPS_MAX {
                break;
            }
        }
        steps[start].1
    }

    /// For each possible next character, the edges that take it. Leaves out choices that are part of another.
    fn choices(&self, place: &Position) -> Vec<Vec<Edge>> {
        let mut choices: Vec<Vec<usize>> = Vec::new();
        for byte in 0x21..0x7F {
            let takes = |index: &usize| self.places[place.next[*index].to].set >> byte & 1 == 1;
            let choice: Vec<_> = (0..place.next.len()).filter(takes).collect();
            let within = |small: &[usize], large: &[usize]| small.iter().all(|index| large.contains(index));
            if choices.iter().any(|known| within(&choice, known)) {
                continue;
            }
            choices.retain(|known| !within(known, &choice));
            choices.push(choice);
        }
        choices.into_iter().map(|choice| choice.into_iter().map(|index| place.next[index]).collect()).collect()
    }
}

#[cfg(test)]
mod tests;
