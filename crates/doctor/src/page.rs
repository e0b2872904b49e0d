//! Parses the parts of a page's HTML that matter for loading a script: the order of its elements, and the end of its
//! head.

use html5gum::{DefaultEmitter, Spanned, StartTag, Token, Tokenizer};

/// The parts of a page, in order.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) scripts: Vec<Script>,
    pub(super) links: Vec<Link>,
    /// `<meta http-equiv="content-security-policy">` in the head.
    pub(super) policies: Vec<Meta>,
    /// The first `<base href>`.
    pub(super) base: Option<String>,
    /// `<meta http-equiv="refresh">`.
    pub(super) refresh: Option<String>,
    /// The end of the head, if there is one.
    pub(super) body: Option<Body>,
    /// Parts that the browser ignores: comments, `<noscript>`.
    pub(super) asides: Vec<Aside>,
    /// True when there is an element that HTML pages have: other texts may have a `<` too.
    pub(super) has_elements: bool,
}

/// A position in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TextPosition {
    /// Line number, from 1.
    pub(super) line: usize,
    /// Number of bytes before it.
    pub(super) offset: usize,
}

/// Treatment of a `<script>` by the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Classic,
    Module,
    /// Does not run, because of this type.
    Data(String),
}

/// A `<script>` element.
#[derive(Debug, Clone)]
pub(super) struct Script {
    pub(super) at: TextPosition,
    pub(super) in_head: bool,
    pub(super) kind: Kind,
    pub(super) src: Option<String>,
    pub(super) text: String,
    pub(super) is_async: bool,
    pub(super) is_deferred: bool,
    pub(super) nonce: String,
    pub(super) integrity: String,
    pub(super) crossorigin: Option<String>,
    /// Values of its other attributes.
    pub(super) others: Vec<String>,
}

impl Script {
    /// Returns whether the page stops here until the script is loaded and has run.
    pub(super) fn blocks(&self) -> bool {
        self.kind == Kind::Classic && self.src.is_some() && !self.is_async && !self.is_deferred
    }
}

/// A `<link>` element.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) at: TextPosition,
    /// Link types in lower case.
    pub(super) rel: Vec<String>,
    pub(super) href: String,
    media: String,
    is_disabled: bool,
}

impl Link {
    pub(super) fn is(&self, rel: &str) -> bool {
        self.rel.iter().any(|word| word == rel)
    }

    /// Returns whether scripts behind it wait until this style sheet is loaded.
    pub(super) fn blocks(&self) -> bool {
        let media = self.media.trim();
        let is_print = media.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("print"));
        self.is("stylesheet") && !self.is("alternate") && !self.is_disabled && !self.href.is_empty() && !is_print
    }
}

/// A Content-Security-Policy in the page.
#[derive(Debug, Clone)]
pub(super) struct Meta {
    pub(super) at: TextPosition,
    pub(super) content: String,
}

/// The end of the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) at: TextPosition,
    /// Element that does not belong in a head; `None` for text.
    pub(super) by: Option<String>,
}

/// A part of the page that the browser ignores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Aside {
    pub(super) at: TextPosition,
    /// Kind in words: `a comment`.
    pub(super) kind: &'static str,
    pub(super) text: String,
}

/// Elements that a head may contain.
const HEAD: [&[u8]; 13] = [
    b"html",
    b"head",
    b"base",
    b"basefont",
    b"bgsound",
    b"link",
    b"meta",
    b"title",
    b"noscript",
    b"noframes",
    b"script",
    b"style",
    b"template",
];

/// Elements by which a page without any of [`HEAD`] is recognised.
const BODY: [&[u8]; 16] = [
    b"body", b"div", b"span", b"p", b"a", b"h1", b"h2", b"main", b"section", b"article", b"header", b"nav", b"img",
    b"ul", b"table", b"form",
];

/// Media types of scripts that a browser runs (WHATWG MIME Sniffing, section 4.6).
const JAVASCRIPT: [&str; 16] = [
    "application/ecmascript",
    "application/javascript",
    "application/x-ecmascript",
    "application/x-javascript",
    "text/ecmascript",
    "text/javascript",
    "text/javascript1.0",
    "text/javascript1.1",
    "text/javascript1.2",
    "text/javascript1.3",
    "text/javascript1.4",
    "text/javascript1.5",
    "text/jscript",
    "text/livescript",
    "text/x-ecmascript",
    "text/x-javascript",
];

/// Returns whether a media type is that of JavaScript, with any parameters.
pub(super) fn is_javascript(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    JAVASCRIPT.iter().any(|known| essence.eq_ignore_ascii_case(known))
}

impl Page {
    /// Reads HTML. Any text is accepted, because HTML has no syntax errors.
    pub(super) fn read(html: &str) -> Page {
        // The tokenizer does not count carriage returns before line feeds.
        let html = html.replace("\r\n", "\n");
        let lines = LineStarts::of(&html);
        let mut emitter = DefaultEmitter::<usize>::new_with_span();
        emitter.naively_switch_states(true);
        let mut reading = PageReader { page: Page::default(), lines, within: Within::Head, templates: 0 };
        for token in Tokenizer::new_with_emitter(html.as_str(), emitter) {
            let Ok(token) = token;
            reading.take(token);
        }
        reading.page
    }
}

/// Offset at which each line begins.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &str) -> Self {
        LineStarts(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn place(&self, offset: usize) -> TextPosition {
        TextPosition { line: self.0.partition_point(|start| *start <= offset), offset }
    }
}

/// Context of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Head,
    /// The text of the last script.
    Script,
    /// Text in the head that is ignored: of a title, of a style.
    Passed,
    Noscript,
    Body,
}

struct PageReader {
    page: Page,
    lines: LineStarts,
    within: Within,
    /// Number of open templates.
    templates: usize,
}

impl PageReader {
    fn take(&mut self, token: Token<usize>) {
        match token {
            Token::StartTag(tag) => self.start(&tag),
            Token::EndTag(tag) => {
                match &**tag.name {
                    b"template" => self.templates = self.templates.saturating_sub(1),
                    b"script" | b"style" | b"title" | b"noscript" => self.within = self.outside(),
                    _ => {}
                };
            }
            Token::String(text) => self.text(&text),
            Token::Comment(text) => self.aside("a comment", &text),
            Token::Doctype(_) | Token::Error(_) => {}
        }
    }

    /// Context after the element that ends.
    fn outside(&self) -> Within {
        if self.page.body.is_some() { Within::Body } else { Within::Head }
    }

    fn aside(&mut self, kind: &'static str, text: &Spanned<html5gum::HtmlString, usize>) {
        let at = self.lines.place(text.span.start);
        self.page.asides.push(Aside { at, kind, text: lossy(text) });
    }

    fn text(&mut self, text: &Spanned<html5gum::HtmlString, usize>) {
        match self.within {
            Within::Script => {
                if let Some(script) = self.page.scripts.last_mut() {
                    script.text += &lossy(text);
                }
            }
            Within::Noscript => self.aside("<noscript>", text),
            Within::Head if self.templates == 0 && !text.trim_ascii().is_empty() => {
                self.body(None, text.span.start);
            }
            Within::Head | Within::Passed | Within::Body => {}
        }
    }

    fn body(&mut self, by: Option<String>, offset: usize) {
        self.within = Within::Body;
        self.page.body = Some(Body { at: self.lines.place(offset), by });
    }

    fn start(&mut self, tag: &StartTag<usize>) {
        let at = self.lines.place(tag.span.start);
        let name = &**tag.name;
        let is_inert = self.templates > 0;
        self.page.has_elements |= HEAD.contains(&name) || BODY.contains(&name);
        if self.page.body.is_none() && !is_inert && !HEAD.contains(&name) {
            self.body(Some(String::from_utf8_lossy(name).into_owned()), tag.span.start);
        }
        let value = |name: &str| tag.attributes.get(name.as_bytes()).map(|value| lossy(value));
        let has = |name: &str| tag.attributes.contains_key(name.as_bytes());
        match name {
            b"template" => self.templates += 1,
            b"script" => {
                let mut script = script(tag, at, self.page.body.is_none());
                if is_inert {
                    script.kind = Kind::Data("<template>".to_owned());
                }
                self.page.scripts.push(script);
                self.within = Within::Script;
            }
            b"noscript" => self.within = Within::Noscript,
            b"style" | b"title" => self.within = Within::Passed,
            _ if is_inert => {}
            b"link" => self.page.links.push(Link {
                at,
                rel: value("rel")
                    .unwrap_or_default()
                    .to_ascii_lowercase()
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect(),
                href: value("href").unwrap_or_default(),
                media: value("media").unwrap_or_default(),
                is_disabled: has("disabled"),
            }),
            b"base" if self.page.base.is_none() => self.page.base = value("href"),
            b"meta" => {
                let Some(content) = value("content") else { return };
                match value("http-equiv").unwrap_or_default().trim().to_ascii_lowercase().as_str() {
                    // In the body it is ignored.
                    "content-security-policy" if self.page.body.is_none() => {
                        self.page.policies.push(Meta { at, content });
                    }
                    "refresh" => self.page.refresh = Some(content),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

fn script(tag: &StartTag<usize>, at: TextPosition, in_head: bool) -> Script {
    let value = |name: &str| tag.attributes.get(name.as_bytes()).map(|value| lossy(value));
    let has = |name: &str| tag.attributes.contains_key(name.as_bytes());
    let kind = match value("type").map(|kind| kind.trim().to_ascii_lowercase()) {
        None => Kind::Classic,
        Some(kind) if kind.is_empty() || JAVASCRIPT.contains(&kind.as_str()) => Kind::Classic,
        Some(kind) if kind == "module" => Kind::Module,
        Some(kind) => Kind::Data(kind),
    };
    // Old browsers run it; browsers that support modules ignore it.
    let kind = if has("nomodule") && kind == Kind::Classic { Kind::Data("nomodule".to_owned()) } else { kind };
    let others = tag.attributes.iter().filter(|(name, _)| ***name != b"src"[..]);
    Script {
        at,
        in_head,
        kind,
        src: value("src").map(|src| src.trim().to_owned()).filter(|src| !src.is_empty()),
        text: String::new(),
        is_async: has("async"),
        is_deferred: has("defer"),
        nonce: value("nonce").unwrap_or_default().trim().to_owned(),
        integrity: value("integrity").unwrap_or_default(),
        crossorigin: value("crossorigin").map(|mode| mode.trim().to_ascii_lowercase()),
        others: others.map(|(_, value)| lossy(value)).collect(),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Decodes HTML in the encoding that its answer names. Everything other than UTF-16 is read as UTF-8, because tags and
/// addresses are the same there.
pub(super) fn decoded(bytes: &[u8], charset: Option<&str>) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match (bytes, charset.map(str::to_ascii_lowercase).as_deref()) {
        ([0xEF, 0xBB, 0xBF, rest @ ..], _) => lossy(rest),
        ([0xFF, 0xFE, rest @ ..], _) => wide(rest, u16::from_le_bytes),
        ([0xFE, 0xFF, rest @ ..], _) => wide(rest, u16::from_be_bytes),
        (_, Some("utf-16" | "utf-16le" | "unicode" | "ucs-2" | "iso-10646-ucs-2" | "csunicode")) => {
            wide(bytes, u16::from_le_bytes)
        }
        (_, Some("utf-16be" | "unicodefffe")) => wide(bytes, u16::from_be_bytes),
        _ => lossy(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_bytes() {
        let html = "<!doctype html>\r\n<html>\n<head><meta charset=utf-8>\n  <script src=a.js></script>\n<title>\u{e9}</title><script>b()</script>";
        let page = Page::read(html);
        let places: Vec<_> = page.scripts.iter().map(|script| (script.at.line, script.at.offset)).collect();
        assert_eq!(places, [(4, 52), (5, 96)]);
        assert_eq!(page.scripts[1].text, "b()");
    }

    #[test]
    fn the_head_ends_with_what_is_not_its() {
        for (html, expect) in [
            ("<head><script src=a></script>", None),
            ("<script src=a></script>", None),
            ("<head></head>\n<script src=a></script>", None),
            ("<head></head><body><script src=a></script>", Some(("body", 1))),
            ("<head>\n<div></div><script src=a></script></head>", Some(("div", 2))),
            ("<head>\n\n words <script src=a></script>", Some(("", 1))),
            ("<title>words</title><style>words</style><noscript><img></noscript><script src=a></script>", None),
            ("<template><div>words</div></template><script src=a></script>", None),
            ("<!-- <div> --><script src=a></script>", None),
            ("<script>'<div>'</script><script src=a></script>", None),
        ] {
            let page = Page::read(html);
            let ended = page.body.as_ref().map(|body| (body.by.as_deref().unwrap_or_default(), body.at.line));
            assert_eq!(ended, expect, "{html}");
            let script = page.scripts.iter().find(|script| script.src.is_some()).unwrap();
            assert_eq!(script.in_head, expect.is_none(), "{html}");
        }
    }

    #[test]
    fn scripts_are_what_browsers_make_of_them() {
        for (html, kind, blocks) in [
            ("<script src=a>", Kind::Classic, true),
            ("<SCRIPT SRC='a' TYPE=''>", Kind::Classic, true),
            ("<script type='Text/JavaScript' src=a>", Kind::Classic, true),
            ("<script src=a async>", Kind::Classic, false),
            ("<script src=a defer=''>", Kind::Classic, false),
            ("<script type=module src=a>", Kind::Module, false),
            ("<script type=text/plain src=a>", Kind::Data("text/plain".into()), false),
            ("<script nomodule src=a>", Kind::Data("nomodule".into()), false),
            ("<template><script src=a>", Kind::Data("<template>".into()), false),
            ("<script>a()", Kind::Classic, false),
            ("<script src=''>", Kind::Classic, false),
        ] {
            let page = Page::read(html);
            assert_eq!((&page.scripts[0].kind, page.scripts[0].blocks()), (&kind, blocks), "{html}");
        }
        assert!(Page::read("<svg><style><script src=a></script></style></svg>").scripts.is_empty());
        let hidden = Page::read("<!-- <script src=b></script> --><noscript><script src=a></script></noscript>");
        let asides: Vec<_> = hidden.asides.iter().map(|aside| aside.kind).collect();
        assert_eq!((hidden.scripts.len(), asides), (0, vec!["a comment", "<noscript>"]));
    }

    #[test]
    fn links_that_scripts_wait_for() {
        for (html, expect) in [
            ("<link rel=stylesheet href=a.css>", true),
            ("<link rel='StyleSheet' href=a.css media=screen>", true),
            ("<link rel=stylesheet href=a.css media=print onload=\"this.media='all'\">", false),
            ("<link rel='alternate stylesheet' href=a.css>", false),
            ("<link rel=stylesheet href=a.css disabled>", false),
            ("<link rel=stylesheet>", false),
            ("<link rel=preload as=style href=a.css>", false),
        ] {
            assert_eq!(Page::read(html).links[0].blocks(), expect, "{html}");
        }
    }

    #[test]
    fn policies_and_what_else_the_head_says() {
        let page = Page::read(
            "<base href=/a/><base href=/b/><meta http-equiv=Content-Security-Policy content=\"script-src &apos;self&apos;\">\n\
             <meta http-equiv=refresh content='0; url=/x'><meta name=x content=y><body>\
             <meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">",
        );
        assert_eq!((page.base.as_deref(), page.refresh.as_deref()), (Some("/a/"), Some("0; url=/x")));
        assert_eq!(page.policies.len(), 1);
        assert_eq!((page.policies[0].content.as_str(), page.policies[0].at.line), ("script-src 'self'", 1));
    }

    #[test]
    fn encodings() {
        let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        for (bytes, charset) in [
            (b"<p>".to_vec(), None),
            (b"\xEF\xBB\xBF<p>".to_vec(), Some("shift_jis")),
            (wide("\u{FEFF}<p>", u16::to_le_bytes), None),
            (wide("\u{FEFF}<p>", u16::to_be_bytes), Some("utf-8")),
            (wide("<p>", u16::to_le_bytes), Some("UTF-16")),
            (wide("<p>", u16::to_be_bytes), Some("utf-16be")),
        ] {
            assert_eq!(decoded(&bytes, charset), "<p>", "{bytes:?}");
        }
        assert_eq!(decoded(b"<p\xFF>", Some("windows-1252")), "<p\u{FFFD}>");
    }

    #[test]
    fn what_is_no_html() {
        for (text, expect) in [
            ("", false),
            ("just words", false),
            ("a <b, c> d", false),
            ("<?xml version=\"1.0\"?><rss><item/></rss>", false),
            ("<p>Hello", true),
            ("<title>Hello", true),
        ] {
            assert_eq!(Page::read(text).has_elements, expect, "{text}");
        }
    }

    #[test]
    fn garbage_is_read_to_its_end() {
        let mut bytes = Vec::new();
        let mut seed = 7_u32;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bytes.push(b"<>/!-=\"' \n&;abscript\0\xFF\xC3"[seed as usize >> 8 & 0xF]);
        }
        let page = Page::read(&decoded(&bytes, None));
        assert!(page.body.is_some());
        let nested = "<template>".repeat(100_000);
        assert!(Page::read(&nested).body.is_none());
    }
}
