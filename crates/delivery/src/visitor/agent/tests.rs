use super::bots::{BotPatterns, word};
use super::rules::LONGEST_NAME;
use super::*;
use crate::processor_time::processor_time;
use std::sync::LazyLock;
use std::time::Duration;

static AGENTS: LazyLock<UserAgents> = LazyLock::new(UserAgents::new);

/// `expect`: device, browser and system, with `-` for none, and the browser's name.
fn check(expect: &str, text: &str) {
    let UserAgent { device, browser, os, browser_name, is_bot, .. } = AGENTS.parse(text);
    let [device, browser, os] = [device, browser, os].map(|word| word.unwrap_or("-"));
    let shown = format!("{device} {browser} {os}: {}", browser_name.as_deref().unwrap_or("-"));
    assert_eq!(shown, expect, "{text}");
    assert!(!is_bot, "{text}");
}

#[test]
fn browsers_of_desktops() {
    for (expect, text) in [
        (
            "desktop chrome windows: Chrome",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
        ),
        (
            "desktop chrome macOS: Chrome",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
        ),
        (
            "desktop chrome linux: Chrome",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
        ),
        (
            "desktop chrome chromeOS: Chrome",
            "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
        ),
        (
            "desktop chrome linux: Chromium",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Ubuntu Chromium/80.0.3987.87 Chrome/80.0.3987.87 Safari/537.36",
        ),
        (
            "desktop safari macOS: Safari",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
        ),
        (
            "desktop firefox windows: Firefox",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
        ),
        (
            "desktop firefox macOS: Firefox",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
        ),
        (
            "desktop firefox linux: Firefox",
            "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        ),
        ("desktop firefox -: Firefox", "Mozilla/5.0 (X11; FreeBSD amd64; rv:140.0) Gecko/20100101 Firefox/140.0"),
        (
            "desktop edge windows: Edge",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
        ),
        (
            "desktop edge macOS: Edge",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
        ),
        (
            "desktop edge windows: Edge",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.102 Safari/537.36 Edge/18.19042",
        ),
        (
            "desktop opera windows: Opera",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 OPR/126.0.0.0",
        ),
        ("desktop opera windows: Opera", "Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18"),
        ("desktop ie windows: IE", "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko"),
        (
            "desktop ie windows: IE",
            "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; SLCC2; Tablet PC 2.0)",
        ),
        (
            "desktop chrome windows: Chrome",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Touch; Tablet PC 2.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
        ),
        (
            "desktop - windows: Vivaldi",
            "Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.104 Safari/537.36 Vivaldi/4.3.2439.39",
        ),
        (
            "desktop - windows: Yandex Browser",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 YaBrowser/25.10.0.0 Safari/537.36",
        ),
        (
            "desktop - windows: Whale",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Whale/4.33.325.17 Safari/537.36",
        ),
        (
            "desktop - linux: Samsung Internet",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Safari/537.36",
        ),
        (
            "desktop - linux: Epiphany",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15 Epiphany/605.1.15",
        ),
    ] {
        check(expect, text);
    }
}

#[test]
fn browsers_of_phones() {
    for (expect, text) in [
        (
            "mobile chrome android: Chrome Mobile",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36",
        ),
        (
            "mobile chrome android: Chrome Mobile",
            "Mozilla/5.0 (Linux; Android 8.1.0; CUBOT_X18_Plus) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/92.0.4515.159 Mobile Safari/537.36",
        ),
        (
            "mobile chrome ios: Chrome Mobile iOS",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0.7499.38 Mobile/15E148 Safari/604.1",
        ),
        (
            "mobile safari ios: Mobile Safari",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1",
        ),
        (
            "mobile firefox android: Firefox Mobile",
            "Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0",
        ),
        (
            "mobile firefox ios: Firefox iOS",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Mobile/15E148 Safari/605.1.15",
        ),
        (
            "mobile edge android: Edge Mobile",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36 EdgA/143.0.0.0",
        ),
        (
            "mobile edge ios: Edge Mobile",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 EdgiOS/143.0.3650.35 Mobile/15E148 Safari/604.1",
        ),
        (
            "mobile opera android: Opera Mobile",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36 OPR/94.0.0.0",
        ),
        (
            "mobile opera android: Opera Mini",
            "Opera/9.80 (Android; Opera Mini/36.2.2254/191.256; U; en) Presto/2.12.423 Version/12.16",
        ),
        (
            "mobile ie -: IE Mobile",
            "Mozilla/5.0 (compatible; MSIE 10.0; Windows Phone 8.0; Trident/6.0; IEMobile/10.0; ARM; Touch; NOKIA; Lumia 920)",
        ),
        (
            "mobile - android: Samsung Internet",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
        ),
        (
            "mobile - android: UC Browser",
            "Mozilla/5.0 (Linux; U; Android 13; en-US; RMX3771 Build/TP1A.220905.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.58 UCBrowser/13.7.8.1322 Mobile Safari/537.36",
        ),
        (
            "mobile - android: MiuiBrowser",
            "Mozilla/5.0 (Linux; U; Android 13; en-us; 2201117TG Build/TKQ1.221114.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/112.0.5615.136 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.8.0-gn",
        ),
        (
            "mobile - android: DuckDuckGo Mobile",
            "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.0.0 Mobile DuckDuckGo/5 Safari/537.36",
        ),
    ] {
        check(expect, text);
    }
}

#[test]
fn tablets() {
    for (expect, text) in [
        (
            "tablet safari ios: Mobile Safari",
            "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1",
        ),
        (
            "tablet chrome ios: Chrome Mobile iOS",
            "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0.7499.38 Mobile/15E148 Safari/604.1",
        ),
        (
            "tablet chrome android: Chrome",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
        ),
        (
            "tablet firefox android: Firefox Mobile",
            "Mozilla/5.0 (Android 15; Tablet; rv:145.0) Gecko/145.0 Firefox/145.0",
        ),
        (
            "tablet - android: Samsung Internet",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Safari/537.36",
        ),
        (
            "tablet - android: Amazon Silk",
            "Mozilla/5.0 (Linux; Android 11; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/140.4.1 like Chrome/140.0.7339.207 Safari/537.36",
        ),
        (
            "tablet - android: Amazon Silk",
            "Mozilla/5.0 (Linux; Android 9; KFMAWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/120.1.1 like Chrome/120.0.6099.43 Mobile Safari/537.36",
        ),
    ] {
        check(expect, text);
    }
}

#[test]
fn pages_in_apps_are_the_apps() {
    for (expect, text) in [
        (
            "mobile - ios: Facebook",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22H20 [FBAN/FBIOS;FBAV/540.0.0.33.75;FBBV/811111111;FBDV/iPhone17,1;FBMD/iPhone;FBSN/iOS;FBSV/18.7;FBSS/3;FBID/phone;FBLC/en_US;FBOP/5]",
        ),
        (
            "mobile - android: Facebook",
            "Mozilla/5.0 (Linux; Android 15; SM-S921B Build/AP3A.240905.015; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.7499.34 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/540.0.0.1.76;]",
        ),
        (
            "mobile - ios: Instagram",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 408.0.0.25.94 (iPhone17,1; iOS 18_7; en_US; en; scale=3.00; 1206x2622; 811111111)",
        ),
        (
            "mobile - ios: Google",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/397.0.836500703 Mobile/15E148 Safari/604.1",
        ),
        (
            "mobile - android: Chrome Mobile WebView",
            "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240905.003; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/143.0.7499.34 Mobile Safari/537.36",
        ),
        (
            "mobile - ios: Mobile Safari UI/WKWebView",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
        ),
        (
            "mobile - ios: Snapchat",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.7 Mobile/15E148 Snapchat/13.67.0.41 (like Safari/8622.1.22, panda)",
        ),
        (
            "mobile - ios: Pinterest",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]",
        ),
        (
            "mobile - ios: LINE",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/15.18.0",
        ),
    ] {
        check(expect, text);
    }
}

#[test]
fn harmony_names_its_device() {
    for (kind, device) in [("Phone", "mobile"), ("Tablet", "tablet"), ("PC", "desktop")] {
        let text =
            format!("Mozilla/5.0 ({kind}; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) ArkWeb/4.1.6.1");
        assert_eq!(AGENTS.parse(&text).device, Some(device), "{text}");
    }
}

#[test]
fn a_television_is_no_kind_of_device() {
    for text in [
        "Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
        "Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/7.1 Chrome/108.0.5359.1 TV Safari/537.36",
        "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.211 Safari/537.36 WebAppManager",
        "Mozilla/5.0 (Linux; Android 11; AFTKA) AppleWebKit/537.36 (KHTML, like Gecko) Silk/140.4.1 like Chrome/140.0.7339.207 Safari/537.36",
        "Mozilla/5.0 (PlayStation; PlayStation 5/8.20) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15",
    ] {
        let agent = AGENTS.parse(text);
        assert_eq!((agent.device, agent.is_bot), (None, false), "{text}");
    }
}

#[test]
fn phones_whose_names_have_bot_in_them() {
    let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";
    for platform in [
        "Linux; Android 13; CUBOT NOTE 20",
        "Linux; Android 9; CUBOT",
        "Linux; Android 8.1.0; M BOT 551",
        "Linux; Android 8.1.0; M BOT 551 Build/O11019",
        "Linux; Android 7.0; IDbot553",
        "Linux; Android 7.0; IDbot53; wv",
        "Linux; U; Android 6.0; de-de; Bot 500 Build/MRA58K",
    ] {
        let text = format!("Mozilla/5.0 ({platform}) {chrome}");
        let agent = AGENTS.parse(&text);
        assert_eq!((agent.device, agent.is_bot), (Some("mobile"), false), "{text}");
    }
    for text in [
        format!("Mozilla/5.0 (Linux; Android 10; K; compatible; NewBot) {chrome}"),
        format!("Mozilla/5.0 (Linux; Android 10; K; NewBot/1.0) {chrome}"),
        format!("Mozilla/5.0 (Linux; Android 10; M BOT 551) {chrome} (compatible; NewBot/1.0)"),
        format!("Mozilla/5.0 (Linux; Android 10; M BOT 551) {chrome} NewBot"),
        "Mozilla/5.0 (compatible; Cubot/1.0)".to_owned(),
    ] {
        assert!(AGENTS.parse(&text).is_bot, "{text}");
    }
}

#[test]
fn bots() {
    for text in [
        "",
        "   ",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.7499.40 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "AdsBot-Google (+http://www.google.com/adsbot.html)",
        "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
        "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
        "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
        "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
        "Twitterbot/1.0",
        "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
        "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
        "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/143.0.0.0 Safari/537.36",
        "Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/136.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse",
        "Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1",
        "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
        "curl/8.17.0",
        "Wget/1.25.0",
        "python-requests/2.32.5",
        "Python/3.14 aiohttp/3.13.2",
        "Go-http-client/2.0",
        "okhttp/5.3.0",
        "Java/21.0.9",
        "axios/1.13.2",
        "node",
        "PostmanRuntime/7.49.1",
        // On no list, but clearly a bot.
        "Mozilla/5.0 (compatible; ExampleNewBot/1.0)",
        "Mozilla/5.0 (compatible; Somebody; +https://example.com/about)",
        "ACME-CRAWLER 3",
    ] {
        assert!(AGENTS.parse(text).is_bot, "{text}");
    }
}

#[test]
fn every_pattern_of_the_list_is_looked_for() {
    let list = include_str!("../lists/crawlers.txt");
    let patterns: Vec<_> = list.lines().collect();
    let words: Vec<_> = patterns.iter().filter_map(|pattern| word(pattern)).collect();
    assert!(patterns.len() > 1_000 && words.len() * 10 > patterns.len() * 9, "{} of {}", words.len(), patterns.len());
    let bots = BotPatterns::build(list);
    for word in &words {
        assert!(bots.is_match(&format!("Mozilla/5.0 ({word})")), "{word}");
    }
    for (pattern, expect) in [
        (r"Googlebot\/", Some("Googlebot/")),
        (r"a\.b\-c", Some("a.b-c")),
        (r"\d", None),
        (r"a\", None),
        ("[wW]get", None),
        ("^curl", None),
        ("a.b", None),
    ] {
        assert_eq!(word(pattern).as_deref(), expect, "{pattern}");
    }
}

#[test]
fn names_and_versions_are_kept() {
    let agent = AGENTS.parse("Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0");
    assert_eq!((agent.browser_major, agent.os_name.as_deref()), (Some(145), Some("Ubuntu")));
    // A family may contain text of the header.
    let long = AGENTS.parse(&format!("Some{}Thing/1.0 CFNetwork/1 Darwin/1", "e".repeat(180)));
    assert!(long.browser_name.is_none_or(|name| name.len() <= LONGEST_NAME));
    let nothing = AGENTS.parse("a program of mine");
    assert_eq!(nothing, UserAgent::default());
}

#[test]
fn hostile_texts_are_read_quickly() {
    AGENTS.warm();
    let words = "Mozilla/5.0 (Android; iPhone; Windows NT; CrOS; Linux) Chrome/1 Safari/1 Firefox/1 Version/1 Bot/1 ";
    for text in [
        "a".repeat(1 << 20),
        "A1".repeat(1 << 19),
        "\u{1F600}".repeat(1 << 18),
        "\0\u{1}\r\n\t\u{7f}".repeat(1 << 17),
        " ".repeat(1 << 20),
        "(".repeat(1 << 20),
        "Mozilla/5.0 (".repeat(1 << 16),
        words.repeat(1 << 13),
        format!("{}Googlebot/2.1", "x".repeat(LONGEST)),
    ] {
        let started = processor_time();
        let agent = AGENTS.parse(&text);
        let took = processor_time() - started;
        assert!(took < Duration::from_secs(5), "{took:?}: {text:.60}");
        assert!(agent.browser_name.is_none_or(|name| !name.contains(char::is_control)));
        AGENTS.parse_bytes(&text.as_bytes()[1..]);
    }
    for bytes in [&b"\xff\xfe\xfd"[..], b"Mozilla/5.0 \xc3", b"\x80".repeat(1 << 20).as_slice()] {
        AGENTS.parse_bytes(bytes);
    }
}

#[test]
fn what_is_cached_is_bounded() {
    let agents = UserAgents::new();
    for i in 0..2 * CAPACITY {
        agents.parse(&format!("program {i}"));
    }
    assert!(agents.cached.weight() <= agents.cached.capacity());
    assert!(agents.cached.len() > CAPACITY / 2);
    assert_eq!(agents.parse("program 1"), agents.parse("program 1"));
}
