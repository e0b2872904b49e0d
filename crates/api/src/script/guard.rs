//! Loops in customers' code that can be stopped: each turn of one first asks the
//! runtime, which ends a loop that has held the page for too long.

use std::ops::{ControlFlow, Range, RangeInclusive};
use tree_sitter::{Node, ParseOptions, Parser, Point, Tree};

/// What each turn of a loop begins with. The runtime gives the function to the
/// code that it runs.
const TURN: &str = "__muriel_turn();";
/// The same where the loop's body is a single statement and has no braces.
const TURN_AND_OPEN: &str = "{__muriel_turn();";
/// Most hundreds of steps that are spent on looking for a way out of a mistake, to tell where it is.
const MENDING_MAX: usize = 1_000;

/// The code with [`TURN`] at the start of each loop's body, and everything else
/// byte for byte. `None` where there is nothing to do: it has no loop, or is
/// nothing that can be read, and a browser will say so.
pub(super) fn guarded(code: &str) -> Option<String> {
    // A `do` has its `while`.
    if !["for", "while"].iter().any(|word| code.contains(word)) {
        return None;
    }
    let tree = parse(code).filter(|tree| !has_comment_of_html(code, tree))?;
    let mut insertions = insertions(&tree);
    if insertions.is_empty() {
        return None;
    }
    // Bodies that end together are closed together, in any order.
    insertions.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(code.len() + insertions.len() * TURN_AND_OPEN.len());
    let mut done = 0;
    for (at, text) in insertions {
        out += code.get(done..at)?;
        out += text;
        done = at;
    }
    out += code.get(done..)?;
    Some(out)
}

/// The code's tree, of code without errors.
fn parse(code: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_javascript::LANGUAGE.into()).ok()?;
    // It reports every hundred steps. Code needs a few for each byte; more is spent only on looking for a way out of
    // an error, and that in vain.
    let mut left = 1_000 + code.len();
    let mut go_on = |state: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 || state.has_error() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let mut read = |at: usize, _: Point| code.as_bytes().get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options)).filter(|tree| !tree.root_node().has_error())
}

/// The lines, from 1, between which the first mistake is in code that is no
/// JavaScript: mostly one; more where only the end tells, as of a brace that is
/// left open. `None` for good code, and for code that would take too long to read.
///
/// Browsers see more: what the grammar takes may still be refused there, such as
/// two `let` of one name.
pub(crate) fn first_error(code: &str) -> Option<RangeInclusive<usize>> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_javascript::LANGUAGE.into()).ok()?;
    let mut left = 1_000 + code.len();
    let mut seen = None;
    let mut go_on = |state: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if state.has_error() && seen.is_none() {
            seen = Some(state.current_byte_offset());
            left = left.min(MENDING_MAX);
        }
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let mut read = |at: usize, _: Point| code.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    let wrong = match tree {
        Some(tree) => first_wrong(&tree)?,
        None => 0..seen?,
    };
    let line = |at: usize| 1 + code.trim_end().bytes().take(at).filter(|byte| *byte == b'\n').count();
    Some(line(wrong.start)..=line(wrong.end))
}

/// Where the first node is that no function's body can have, in bytes.
fn first_wrong(tree: &Tree) -> Option<Range<usize>> {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kind = node.kind();
        // HTML in place of code reads as JSX, which browsers do not know; modules are no functions' bodies.
        let is_foreign = kind.starts_with("jsx_") || ["import_statement", "export_statement"].contains(&kind);
        if node.is_error() || node.is_missing() {
            return Some(node.byte_range());
        }
        if is_foreign {
            return Some(node.start_byte()..node.start_byte());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

/// Whether browsers, for the sake of old pages, take for a comment what the
/// grammar takes for operators: `<!--` within a line.
fn has_comment_of_html(code: &str, tree: &Tree) -> bool {
    let leaf = |at: usize| tree.root_node().descendant_for_byte_range(at, at + 1);
    code.match_indices("<!--").any(|(at, _)| leaf(at).is_some_and(|leaf| leaf.kind() == "<"))
}

/// What is to be put where, in bytes.
fn insertions(tree: &Tree) -> Vec<(usize, &'static str)> {
    let mut insertions = Vec::new();
    let mut cursor = tree.walk();
    // Not by calls of itself: code may be nested as deeply as it is long.
    loop {
        if let Some(body) = body_of_loop(cursor.node()) {
            if body.kind() == "statement_block" {
                insertions.push((body.start_byte() + 1, TURN));
            } else {
                insertions.push((body.start_byte(), TURN_AND_OPEN));
                insertions.push((end_of(body), "}"));
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return insertions;
            }
        }
    }
}

/// Where the last thing of a statement ends that means something. A comment
/// behind a statement without a semicolon counts as part of it, and a brace
/// behind that would be part of the comment.
fn end_of(statement: Node<'_>) -> usize {
    let mut last = statement;
    let mut cursor = statement.walk();
    loop {
        let means = |child: &Node<'_>| !child.is_extra() && child.start_byte() < child.end_byte();
        match last.children(&mut cursor).filter(means).last() {
            Some(child) => last = child,
            None => return last.end_byte(),
        }
    }
}

fn body_of_loop(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "for_statement" | "for_in_statement" | "while_statement" | "do_statement" => node.child_by_field_name("body"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `«` is where a turn begins in a body with braces; `‹` and `›` are around a
    /// body without.
    fn check(marked: &str) {
        let code = marked.replace(['«', '‹', '›'], "");
        let expect = marked.replace('«', TURN).replace('‹', TURN_AND_OPEN).replace('›', "}");
        assert_eq!(guarded(&code).unwrap_or_else(|| code.clone()), expect, "{code}");
        assert!(parse(&expect).is_some(), "{expect}");
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
            // A comment to browsers.
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
        assert_eq!(guarded(&deep).expect("loops").matches(TURN).count(), 20_000);
        let long = "for (const x of xs) { f(x) }\n".repeat(20_000);
        assert_eq!(guarded(&long).expect("loops").matches(TURN).count(), 20_000);
        for endless in ["for(".repeat(100_000), "while({[(`${".repeat(20_000), "for(;;)".repeat(100_000)] {
            assert_eq!(guarded(&endless), None);
            assert_eq!(first_error(&endless), Some(1..=1));
        }
    }

    /// Statements with loops in each other.
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
            prop_assert!(parse(&code).is_some(), "{code}");
            if let Some(out) = guarded(&code) {
                let Some(tree) = parse(&out) else { panic!("{code} became {out}") };
                let bodies = insertions(&tree);
                prop_assert_eq!(bodies.len(), out.matches(TURN).count(), "{} became {}", code, out);
                // Each loop has a body with braces now, which begins with a turn.
                prop_assert!(bodies.iter().all(|(at, _)| out[*at..].starts_with(TURN)), "{} became {}", code, out);
            }
        }
    }
}
