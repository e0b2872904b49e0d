//! Analysis of customers' JavaScript: it checks the syntax and adds a guard to each loop.
//!
//! A guarded loop first calls the runtime on each iteration. The runtime ends a loop that has
//! blocked the page for too long.

use std::ops::{ControlFlow, Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tree_sitter::{Node, ParseOptions, Parser, Point, Tree};

/// Call at the start of each iteration. The runtime passes the function to the code that
/// it runs.
const GUARD: &str = "__muriel_turn();";
/// Guard of a loop whose body is a single statement, with the opening brace.
const OPEN_AND_GUARD: &str = "{__muriel_turn();";
/// Most steps that the parser may take after the first syntax error, to find where the error ends.
const RECOVERY_STEPS_MAX: usize = 1_000;
/// Visited nodes that count as one step.
const STEP_NODES: usize = 100;
const LOOPS: [&str; 4] = ["for_statement", "for_in_statement", "while_statement", "do_statement"];

/// Result of analysing a piece of customers' code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeAnalysis {
    /// The code with a guard at the start of each loop's body, and everything else
    /// byte for byte. `None` if the code has no loop or cannot be parsed. Browsers
    /// refuse unparsable code as well.
    pub guarded: Option<Arc<str>>,
    /// Lines of the first syntax error, from 1: usually one, and several if the error
    /// shows only at the end, as with a missing closing brace. Browsers find more errors than
    /// the grammar, such as two `let` of one name.
    pub syntax_error: Option<RangeInclusive<usize>>,
    /// True when the analysis was abandoned because the code took more steps than its length allows.
    pub is_too_complex: bool,
    /// Steps of the analysis. A step is a hundred operations of the parser, or a hundred visited nodes.
    pub steps: usize,
}

/// The analysis was stopped because the server is shutting down.
#[derive(Debug, PartialEq)]
pub(crate) struct Stopped;

/// Most steps for code of this many bytes. Ordinary code takes a few operations per
/// byte; only a parser that recovers from errors takes more.
pub(crate) fn steps_max(bytes: usize) -> usize {
    1_000 + bytes
}

/// Returns whether code may have a loop. A `do` loop contains `while`.
pub(crate) fn may_have_loops(code: &str) -> bool {
    ["for", "while"].iter().any(|word| code.contains(word))
}

/// Analyses code in time proportional to its length, or until `stop` is set.
///
/// # Errors
/// [`Stopped`] once `stop` is set.
pub(crate) fn analyse(code: &str, stop: &AtomicBool) -> Result<CodeAnalysis, Stopped> {
    let mut analysis = CodeAnalysis::default();
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_javascript::LANGUAGE.into()).is_err() {
        return Ok(analysis);
    }
    // The parser calls back every hundred operations.
    let mut left = steps_max(code.len());
    let mut first_error = None;
    let mut go_on = |state: &tree_sitter::ParseState| {
        analysis.steps += 1;
        left = left.saturating_sub(1);
        if state.has_error() && first_error.is_none() {
            first_error = Some(state.current_byte_offset());
            left = left.min(RECOVERY_STEPS_MAX);
        }
        if left == 0 || stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let mut text = |at: usize, _: Point| code.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut text, None, Some(options));
    let line = |at: usize| 1 + code.trim_end().bytes().take(at).filter(|byte| *byte == b'\n').count();
    let lines = |wrong: Range<usize>| line(wrong.start)..=line(wrong.end);
    let Some(tree) = tree else {
        if stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        analysis.is_too_complex = first_error.is_none();
        analysis.syntax_error = first_error.map(|at| lines(0..at));
        return Ok(analysis);
    };
    let walked = walk(code, &tree, stop)?;
    analysis.steps += walked.nodes / STEP_NODES;
    analysis.syntax_error = walked.syntax_error.map(lines);
    if !tree.root_node().has_error() && !walked.has_html_comment && !walked.insertions.is_empty() {
        analysis.guarded = inserted(code, walked.insertions).map(Arc::from);
    }
    Ok(analysis)
}

/// Inserts texts into the code, each before the given byte.
fn inserted(code: &str, mut insertions: Vec<(usize, &'static str)>) -> Option<String> {
    // Bodies that end at the same byte can be closed in any order.
    insertions.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(code.len() + insertions.len() * OPEN_AND_GUARD.len());
    let mut done = 0;
    for (at, text) in insertions {
        out += code.get(done..at)?;
        out += text;
        done = at;
    }
    out += code.get(done..)?;
    Some(out)
}

/// Findings of a walk over the syntax tree.
#[derive(Default)]
struct Walk {
    /// Texts to insert, each with the byte before which it is inserted.
    insertions: Vec<(usize, &'static str)>,
    /// Bytes of the first node that cannot be in the body of a function.
    syntax_error: Option<Range<usize>>,
    /// True when the code contains `<!--` within a line. Browsers, which support old pages, treat it as
    /// a comment; the grammar treats it as operators.
    has_html_comment: bool,
    nodes: usize,
}

/// A node whose children are being visited.
struct OpenNode {
    range: Range<usize>,
    is_loop: bool,
    /// True for a loop's body of a single statement, without braces.
    is_bare_body: bool,
    /// True for a comment, and for nodes within one.
    is_comment: bool,
}

/// Visits each node of the tree once, in text order.
fn walk(code: &str, tree: &Tree, stop: &AtomicBool) -> Result<Walk, Stopped> {
    let mut walked = Walk::default();
    let mut cursor = tree.walk();
    // Iterative, because code may be nested as deeply as it is long.
    let mut open: Vec<OpenNode> = Vec::new();
    // End of the last node that is not a comment. A comment after a statement without a semicolon is part of the
    // statement's node, and a brace inserted after that comment would become part of the comment.
    let mut end = 0;
    loop {
        walked.nodes += 1;
        if walked.nodes.is_multiple_of(STEP_NODES) && stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        let node = cursor.node();
        let (kind, range) = (node.kind(), node.byte_range());
        if walked.syntax_error.is_none() {
            walked.syntax_error = syntax_error(&node);
        }
        let is_body = open.last().is_some_and(|parent| parent.is_loop) && cursor.field_name() == Some("body");
        let is_bare_body = is_body && kind != "statement_block";
        if is_bare_body {
            walked.insertions.push((range.start, OPEN_AND_GUARD));
        } else if is_body {
            walked.insertions.push((range.start + 1, GUARD));
        }
        let is_comment = node.is_extra() || open.last().is_some_and(|parent| parent.is_comment);
        let this = OpenNode { is_loop: LOOPS.contains(&kind), is_bare_body, is_comment, range };
        if cursor.goto_first_child() {
            open.push(this);
            continue;
        }
        if kind == "<" && code[this.range.start..].starts_with("<!--") {
            walked.has_html_comment = true;
        }
        walked.leave(&this, &mut end);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(walked);
            }
            if let Some(parent) = open.pop() {
                walked.leave(&parent, &mut end);
            }
        }
    }
}

impl Walk {
    /// Records that a node and its descendants were visited.
    fn leave(&mut self, node: &OpenNode, end: &mut usize) {
        if !node.is_comment && *end <= node.range.start && node.range.start < node.range.end {
            *end = node.range.end;
        }
        if node.is_bare_body {
            self.insertions.push(((*end).max(node.range.start), "}"));
        }
    }
}

/// Returns the bytes of the node if it cannot be in the body of a function.
fn syntax_error(node: &Node<'_>) -> Option<Range<usize>> {
    let kind = node.kind();
    if node.is_error() || node.is_missing() {
        return Some(node.byte_range());
    }
    // HTML in place of code parses as JSX, which browsers do not support. Imports and exports are valid only
    // in modules.
    let is_foreign = kind.starts_with("jsx_") || ["import_statement", "export_statement"].contains(&kind);
    is_foreign.then(|| node.start_byte()..node.start_byte())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn analysed(code: &str) -> CodeAnalysis {
        analyse(code, &AtomicBool::new(false)).expect("nobody stops it")
    }

    fn guarded(code: &str) -> Option<String> {
        analysed(code).guarded.map(|code| code.to_string())
    }

    fn first_error(code: &str) -> Option<RangeInclusive<usize>> {
        analysed(code).syntax_error
    }

    fn parses(code: &str) -> bool {
        let analysis = analysed(code);
        !analysis.is_too_complex && analysis.syntax_error.is_none()
    }

    /// `«` marks the guard in a body with braces; `‹` and `›` enclose a body without braces.
    fn check(marked: &str) {
        let code = marked.replace(['«', '‹', '›'], "");
        let expect = marked.replace('«', GUARD).replace('‹', OPEN_AND_GUARD).replace('›', "}");
        assert_eq!(guarded(&code).unwrap_or_else(|| code.clone()), expect, "{code}");
        assert!(parses(&expect), "{expect}");
    }

    #[test]
    fn every_kind_of_loop() {
        for marked in [
            "while (a) {« b() }",
            "while (a) ‹b();›",
            "while(a)‹b()›",
            "for (;;) ‹;›",
            "for(;;)‹;›",
            "for (let i = 0; i < n; i++) {«}",
            "for (const k in o) ‹delete o[k];›",
            "for (const x of xs) ‹f(x)›\ng()",
            "for (x of xs) {«f(x)}",
            "async function f() { for await (const x of xs) {« g(x) } }",
            "async () => { for await (const x of xs) ‹g(x);› }",
            "async () => { while (await more()) ‹await next();› }",
            "do {« a() } while (b)",
            "do ‹a();› while (b)",
            "do ‹a()›\nwhile (b) c()",
            "do ‹;› while(0)",
            "do ‹a();› while(0)",
        ] {
            check(marked);
        }
    }

    #[test]
    fn loops_in_loops_and_elsewhere() {
        for marked in [
            "for (;;) {« for (;;) {« while (a) {« b() } } }",
            "for (;;) ‹for (;;) ‹while (a) ‹b();›››",
            "for(;;)‹for(;;)‹x()››",
            "while (a) ‹do ‹b()›\nwhile (c)›\nd()",
            "if (a) while (b) ‹c();› else d()",
            "if (a) for (x of y) ‹if (z) b(); else c()›",
            "outer: for (;;) {« for (;;) {« continue outer } }",
            "outer: for (;;) ‹inner: for (;;) ‹continue outer;››",
            "while (a) ‹b: for (;;) ‹break b››",
            "for (const f = () => { while (a) ‹b›\n }; ;) ‹f()›",
            "while (xs.some((x) => { for (;;) ‹return x› })) ‹a()›",
            "while (a) ‹setTimeout(() => { for (;;) ‹b()› })›",
            "class A { m() { while (a) {«} } static { for (;;) {« break } } }",
            "switch (a) { case 1: while (b) ‹c()›\n default: }",
            "`${(() => { while (a) ‹b› })()}`",
            "while (a) ‹try { b() } catch { c() }›",
            "while (a) ‹if (b) c(); else d();› e()",
            "while (a) ‹var x = 1›\nx",
            "while (a) /* while (b) {} */ ‹c()› // for (;;) {}\nd()",
            "while (a) // b\n  ‹c()›",
            "while (a) ‹b()› // c",
            "while (a) ‹b()› /* c */ // d\n",
            "while (a) ‹b() /* c */;› // d",
            "while (a) ‹if (b) c()› // d\n// e\nf()",
            "while (a) ‹x = () => { b() // c\n }› // d",
            "do ‹a()› // b\nwhile (c)",
            "while (a --> 0) ‹b('<!--')›",
            "for (;;) ‹a›\n--> for (;;) b",
            "for (;;) ‹a›\n /* b */ --> c",
            "while (a) ‹b(`<!--\n--> c`, /<!--/)› // <!--",
            "for (;;) ‹x\n(y)›",
            "while (a) ‹++b›\n++c",
            "return; for (;;) {«}",
        ] {
            check(marked);
        }
    }

    #[test]
    fn what_only_looks_like_a_loop() {
        for code in [
            "'while (a) {}'",
            "\"for (;;) {}\"",
            "`for (;;) {} ${a} while (b) c`",
            "/while (a) {/.test(b)",
            "if (a) /for(;;){/.test(b)",
            "x = a / b; /* for (;;) {} */ y = c / d // while (a) {",
            "a.for = b.while; ({ for: 1, while: 2, do: 3 })",
            "class A { while() {} for() {} static do() {} }",
            "form(); format = whiled; document.forms",
            "xs.forEach((x) => f(x))",
            "<!-- for (;;) {}\na()",
        ] {
            check(code);
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for code in [
            "while (a) {",
            "while (a",
            "while (a)",
            "for (;;",
            "for (;;) } {",
            "do a() while (b)",
            "while (a) { 'open }",
            "<p>for you</p> while (",
            "for (a of b of c) {}",
            // Browsers treat the rest as a comment.
            "for (;;) a <!-- b",
        ] {
            assert_eq!(guarded(code), None, "{code}");
        }
    }

    #[test]
    fn the_line_of_the_first_mistake() {
        for (code, lines) in [
            ("", None),
            ("// nothing", None),
            ("a()\nreturn b", None),
            ("const a = async () => { await import('/x.js') }\nfor (const b of c) d?.(e ?? `${f}`)", None),
            ("<!-- a\nb()", None),
            ("/[[a]--b]/v.test(c) && class { static #d = 1n }", None),
            ("a((", Some(1..=1)),
            ("a();\nb(;\nc()", Some(2..=2)),
            ("a();\n\nconst = 1;", Some(3..=3)),
            ("a();\nif (b {\n  c();\n}\n", Some(2..=2)),
            ("a();\n'open", Some(2..=2)),
            ("a()\nfunction b() {\n  c()\n", Some(3..=3)),
            ("(function () {\n  a();\n  b(;\n  c();\n})();", Some(3..=3)),
            ("a();\n$(function () {\n  b();\n  c();\n", Some(1..=4)),
            ("(() => {\n  if (a) {\n    b();\n  })();\n", Some(4..=4)),
            ("const a = {\n  b: 1\n  c: 2\n};\nd(a);", Some(3..=3)),
            ("a();\nconst b = 'it's';\nc();", Some(2..=2)),
            ("a()\n}\nb()", Some(2..=2)),
            ("a()\n\n<script>b()</script>", Some(1..=3)),
            ("import a from '/a.js'", Some(1..=1)),
            ("a()\nexport const b = 1", Some(2..=2)),
            (".title { color: red }", Some(1..=1)),
            ("please make it blue", Some(1..=1)),
        ] {
            assert_eq!(first_error(code), lines, "{code}");
        }
    }

    #[test]
    fn deep_and_long_code_takes_its_time_and_no_more() {
        let deep = format!("{}a(){}", "for(;;){".repeat(20_000), "}".repeat(20_000));
        assert_eq!(guarded(&deep).expect("loops").matches(GUARD).count(), 20_000);
        let long = "for (const x of xs) { f(x) }\n".repeat(20_000);
        assert_eq!(guarded(&long).expect("loops").matches(GUARD).count(), 20_000);
        for endless in ["for(".repeat(100_000), "while({[(`${".repeat(20_000), "for(;;)".repeat(100_000)] {
            assert_eq!(guarded(&endless), None);
            assert_eq!(first_error(&endless), Some(1..=1));
        }
    }

    #[test]
    fn reading_takes_steps_in_proportion_to_the_code() {
        let nested = |open: &str, close: &str, bytes: usize| {
            let times = bytes / (open.len() + close.len());
            format!("{}a(){}", open.repeat(times), close.repeat(times))
        };
        for (what, make) in [
            ("loops with braces", &(|bytes| nested("for(;;){", "}", bytes)) as &dyn Fn(usize) -> String),
            ("loops without", &|bytes| nested("for(;;)", "", bytes)),
            ("functions in loops", &|bytes| nested("while(a){b(()=>{", "})}", bytes)),
            ("loops in a row", &|bytes| nested("for(;;)a;", "", bytes)),
            ("lines", &|bytes| nested("a\n", "", bytes)),
            ("labels", &|bytes| nested("a:", "", bytes)),
            ("what is taken for comments", &|bytes| nested("a<!--b;", "", bytes)),
        ] {
            let [small, large] = [16 << 10, 64 << 10].map(|bytes| analysed(&make(bytes)).steps);
            assert!(large <= 5 * small + 100, "{what}: {small} steps for 16 KiB, {large} for 64 KiB");
            assert!(small <= steps_max(16 << 10), "{what}: {small} steps");
        }
        // The maximum size of a variant's code.
        let most = analysed(&nested("for(;;){", "}", 512 << 10));
        assert!(most.guarded.is_some() && most.steps <= 512 << 10, "{} steps", most.steps);
    }

    #[test]
    fn reading_can_be_stopped() {
        let code = "for(;;){".repeat(2_000) + &"}".repeat(2_000);
        assert_eq!(analyse(&code, &AtomicBool::new(true)), Err(Stopped));
    }

    /// Generates statements with nested loops.
    fn statement() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("f();".to_owned()),
            Just("x = /for(;;)/g;".to_owned()),
            Just("`while(a) ${b}`;".to_owned()),
            Just("var v = 'do';".to_owned()),
            Just(";".to_owned()),
            Just("{}".to_owned()),
            Just("f() // for(;;) g()\n".to_owned()),
            Just("f() /* while(a) */ /**/\n".to_owned()),
            Just("x\n".to_owned()),
        ];
        leaf.prop_recursive(5, 40, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|s| format!("while (a) {s}")),
                inner.clone().prop_map(|s| format!("for (;;) {s}")),
                inner.clone().prop_map(|s| format!("for(const x of xs){s}")),
                inner.clone().prop_map(|s| format!("for (k in o)\n{s}")),
                inner.clone().prop_map(|s| format!("do {s} while (b);")),
                inner.clone().prop_map(|s| format!("if (c) {{ {s} }} else {s}")),
                inner.clone().prop_map(|s| format!("l: while (a) {s}")),
                inner.clone().prop_map(|s| format!("while (a) if (c) {s}")),
                inner.clone().prop_map(|s| format!("g(() => {{ {s} }});")),
                prop::collection::vec(inner, 0..4).prop_map(|all| format!("{{ {} }}", all.join("\n"))),
            ]
        })
    }

    proptest! {
        #[test]
        fn guarded_code_is_code(code in statement()) {
            prop_assert!(parses(&code), "{code}");
            if let Some(out) = guarded(&code) {
                prop_assert!(parses(&out), "{code} became {out}");
                // Every loop now has a body with braces, which begins with a guard.
                let twice = guarded(&out).unwrap_or_default();
                prop_assert_eq!(&twice, &out.replace(GUARD, &GUARD.repeat(2)), "{} became {}", code, out);
            }
        }
    }
}
