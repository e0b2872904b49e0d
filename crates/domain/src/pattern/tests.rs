use super::*;

#[test]
fn expressions_of_pages_are_allowed() {
    for pattern in [
        "",
        "checkout",
        r"^https://shop\.example/(de|en)/.*$",
        r"^https?://(www\.)?shop\.example/(products|category)/[\w-]+(/[\w-]+)*/?(\?.*)?$",
        r"^https?://([a-z0-9-]+\.)*shop\.(com|de|co\.uk)(:\d+)?/",
        r"^https://shop\.example/[^?]*/products/[^?]*\?.*utm_source=.*$",
        r"^[^?#]*/checkout/(step-[1-4]|thanks)$",
        r"/products/.*/reviews/.*",
        r"[?&]utm_(source|medium)=(google|bing)(&|$)",
        r"[?&]id=\d{3,8}\b",
        "order.*confirm",
        "(/[^/]+)*",
        "(foo|bar)+",
        "(?:a)(?<name_1>b)",
        ".*=",
        "^.*.*=",
        "a+?b*?c??d{2}?e{2,}?f{2,3}?",
        r"[\d\-\x41-\u005A_.!-/^-]",
        "[-a]|[^a-]|[^^]",
        r"\n|\r|\t|\f|\v|\x41|\u0041",
        r"\.\*\+\?\(\)\[\]\{\}\|\^\$\\\/\-\_\#\&\~\%\@\=\:\;\,\!",
        r"\bfoo\B",
        "(|a)(b|)",
        "(a*)?",
        "(^a)*b",
        "a{0}b",
    ] {
        assert_eq!(portable(pattern).err(), None, "{pattern}");
    }
}

#[test]
fn what_engines_read_differently_is_refused_with_its_place() {
    for (pattern, expect) in [
        ("/größe", "has ö at byte 3: write %C3%B6"),
        ("a\nb", "has a control character at byte 1"),
        ("(?i)a", "has flags at byte 0"),
        ("a(?i:b)", "has flags at byte 1"),
        ("a(?=b)", "has a look-around at byte 1"),
        ("(?<!a)b", "has a look-around at byte 0"),
        (r"(a)\1", "has a back-reference or an octal escape at byte 3"),
        (r"\0", "has a back-reference or an octal escape at byte 0"),
        (r"(?<n>a)\k<n>", "is not a regular expression that every engine reads alike at byte 7"),
        (r"\A", r"has \A at byte 0"),
        (r"a\z", r"has \z at byte 1"),
        (r"\<a\>", r"has \< at byte 0"),
        (r"\b{start}a", r"has \b{start} at byte 0"),
        (r"\b{start-half}a", r"has \b{start-half} at byte 0"),
        (r"\pL", r"has \p or \P at byte 0"),
        (r"[\p{L}]", r"has \p or \P at byte 1"),
        (r"\a", "has an escape that engines read differently at byte 0"),
        (r"\x{41}", "has an escape that engines read differently at byte 0"),
        (r"\u{41}", "has an escape that engines read differently at byte 0"),
        (r"\U00000041", "has an escape that engines read differently at byte 0"),
        (r"\xE9", "has an escape that engines read differently at byte 0"),
        (r"\u00E9", "has an escape that engines read differently at byte 0"),
        (r"\ ", "has an escape that engines read differently at byte 0"),
        (r"\cA", "is not a regular expression that every engine reads alike at byte 0"),
        (r"\e", "is not a regular expression that every engine reads alike at byte 0"),
        (r"\i", "is not a regular expression that every engine reads alike at byte 0"),
        ("a]", "has ] on its own at byte 1"),
        ("a}", "has } on its own at byte 1"),
        ("{", "is not a regular expression that every engine reads alike at byte 0"),
        ("a{", "is not a regular expression that every engine reads alike at byte 1"),
        ("a{,3}", "is not a regular expression that every engine reads alike at byte 2"),
        ("a{ 2 }", "has { 2 } at byte 1"),
        ("a{2, 3}", "has {2, 3} at byte 1"),
        ("a{3,2}", "is not a regular expression that every engine reads alike"),
        ("[]a]", "has ] at the beginning of a class at byte 1"),
        ("[^]a]", "has ] at the beginning of a class at byte 2"),
        ("[]-a]", "has ] at the beginning of a class at byte 1"),
        ("[]", "is not a regular expression that every engine reads alike at byte 0"),
        ("[^]", "is not a regular expression that every engine reads alike at byte 0"),
        ("[[a]]", "has a class inside a class at byte 1"),
        ("[[:alpha:]]", "has a class inside a class at byte 1"),
        ("[a&&b]", "has a class with && -- or ~~ at byte 0"),
        ("[a--b]", "has a class with && -- or ~~ at byte 0"),
        ("[a~~b]", "has a class with && -- or ~~ at byte 0"),
        ("[--a]", "has - inside a class at byte 2"),
        ("[a-c-e]", "has - inside a class at byte 4"),
        (r"[a-\d]", "is not a regular expression that every engine reads alike at byte"),
        (r"[\d-a]", "is not a regular expression that every engine reads alike at byte"),
        ("[z-a]", "is not a regular expression that every engine reads alike at byte 1"),
        (r"[\b]", "is not a regular expression that every engine reads alike at byte 1"),
        ("^*", "repeats an assertion by * at byte 1"),
        (r"\b+", "repeats an assertion by + at byte 2"),
        ("${2}", "repeats an assertion by {2} at byte 1"),
        ("a**", "repeats a repetition by * at byte 2"),
        ("a+{2}", "repeats a repetition by {2} at byte 2"),
        ("a{2}+", "repeats a repetition by + at byte 4"),
        ("a???", "repeats a repetition by ? at byte 3"),
        ("*a", "is not a regular expression that every engine reads alike at byte 0"),
        ("a|*", "is not a regular expression that every engine reads alike at byte 2"),
        ("(?P<n>a)", "has (?P< at byte 0"),
        ("(?<n.a>a)", "has a group named n.a at byte 0"),
        ("(?<ñ>a)", "has ñ at byte 3"),
        ("(?<n>a)(?<n>b)", "is not a regular expression that every engine reads alike at byte"),
        ("(?<1>a)", "is not a regular expression that every engine reads alike at byte"),
        ("(a", "is not a regular expression that every engine reads alike at byte 0"),
        ("a)", "is not a regular expression that every engine reads alike at byte 1"),
        (r"a\", "is not a regular expression that every engine reads alike at byte 1"),
        ("(?#note)a", "is not a regular expression that every engine reads alike at byte"),
        ("(?>a)", "is not a regular expression that every engine reads alike at byte"),
    ] {
        let flaw = portable(pattern).err().map(|flaw| flaw.to_string()).unwrap_or_default();
        assert!(flaw.starts_with(expect), "{pattern}: {flaw:?}, not {expect:?}");
    }
}

#[test]
fn what_could_take_long_is_refused() {
    const AMBIGUOUS: &str = "has a repetition that can match the same text in more than one way";
    const EMPTY: &str = "repeats by ";
    const SHARED: &str = "could take long in a browser: the repetition at byte ";
    const MANY: &str = "could take long in a browser: too many of its parts";
    const LARGE: &str = "is too large";
    for (pattern, expect) in [
        ("(a+)+", AMBIGUOUS),
        ("(a|a)*", AMBIGUOUS),
        ("(ab|ac)*", AMBIGUOUS),
        ("(.*,)*", AMBIGUOUS),
        ("([a-z]+-?)*", AMBIGUOUS),
        ("((a|b)+c?)+", AMBIGUOUS),
        (r"(\w|\d)*x", AMBIGUOUS),
        (r"(a\b|a\B)*x", AMBIGUOUS),
        ("(a*)*", EMPTY),
        ("(a?){3}", EMPTY),
        ("(|a)+", EMPTY),
        ("(^)*", EMPTY),
        ("()*", EMPTY),
        (".*.*=", SHARED),
        ("^.*.*.*=", SHARED),
        (".*.*.*.*=", SHARED),
        ("^.*a.*b.*=", SHARED),
        (r"\w+\d+\w+=", SHARED),
        ("order.*confirm.*thanks", SHARED),
        ("(.*,){8}x", SHARED),
        (&("a?".repeat(30) + &"a".repeat(30)), MANY),
        (&("(a|a)".repeat(40) + "b"), MANY),
        ("(a|a){40}b", MANY),
        ("(a|aa){30}b", MANY),
        ("((a{99}){99}){99}", LARGE),
        ("((((a{9999}){9999}){9999}){9999}){9999}", LARGE),
        ("(a{0}){2}", EMPTY),
        ("a{4294967295}", LARGE),
        (&("[a-z]?".repeat(50) + "="), MANY),
        (&("[a-z]?".repeat(84) + "="), LARGE),
        // Refused although they match everything, or everything with this beginning.
        ("^/(.*a.*b.*c.*d)?", SHARED),
        ("(.*a.*b.*c.*d)?", SHARED),
        ("(.*.*.*.*=|)", SHARED),
        // Nodes that do not take a character.
        (&("(|)".repeat(40) + "$"), MANY),
        (&("(|)".repeat(40) + r"\n"), MANY),
        (&("(".to_owned() + &"(|)".repeat(40) + ")?$"), MANY),
        (&("(".to_owned() + &r"(\b|)".repeat(40) + "a)?$"), MANY),
        (&("(a".to_owned() + &"(|)".repeat(40) + ")+$"), AMBIGUOUS),
        (&"a".repeat(513), "must have at most 512 bytes"),
    ] {
        let flaw = portable(pattern).err().map(|flaw| flaw.to_string()).unwrap_or_default();
        assert!(flaw.starts_with(expect), "{pattern}: {flaw:?}, not {expect:?}");
    }
}

#[test]
fn nesting_is_bounded() {
    let pattern = "(?:".repeat(100) + &")".repeat(100);
    assert!(portable(&pattern).is_ok());
    let pattern = "(".repeat(255) + "a" + &")".repeat(255);
    assert!(portable(&pattern).is_err());
}
