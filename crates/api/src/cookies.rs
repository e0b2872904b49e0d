//! Renews the visitor's cookies. After a week Safari deletes cookies set by scripts, but not those set by servers.

use http::header::COOKIE;
use http::{HeaderMap, HeaderName, HeaderValue};

/// 400 days, the longest lifetime that browsers allow.
const LIFETIME_S: u32 = 34_560_000;
/// Suffix of the cookie with the visitor's id. All projects of a site share it.
const ID_SUFFIX: &str = "_id";
/// Suffix of the cookie with earlier assignments; `_` and the project's key follow. Without them, the cookie was set by
/// an earlier version of the script, which stored the assignments of all projects together.
const ARMS_SUFFIX: &str = "_a";
/// States whether the request comes from the same site. Browsers send this field over secure connections only.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FORWARDED_PROTOCOL: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// `Set-Cookie` fields that renew the visitor's cookies. Empty unless the request comes from the site itself and its
/// cookie names the same visitor as its body.
///
/// `global` is the prefix of the cookies' names. `domain` is their domain, from the query of the request. Assignments
/// of other projects are renewed by those projects' own events.
pub(crate) fn renewals(
    headers: &HeaderMap,
    global: &str,
    project_key: &str,
    visitor: &str,
    domain: Option<&str>,
) -> Vec<HeaderValue> {
    let site = headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
    if !matches!(site, None | Some(b"same-origin" | b"same-site")) {
        return Vec::new();
    }
    let domain = match domain {
        None => String::new(),
        Some(domain) if is_domain(domain) => format!("; Domain={domain}"),
        Some(_) => return Vec::new(),
    };
    let cookies: Vec<_> = cookies(headers).collect();
    let of = |suffix: &str| {
        let values = cookies.iter().filter(move |(name, _)| name.strip_prefix(global) == Some(suffix));
        values.map(|(_, value)| *value).collect::<Vec<_>>()
    };
    if !of(ID_SUFFIX).into_iter().any(|value| decoded(value).as_deref() == Some(visitor.as_bytes())) {
        return Vec::new();
    }
    let is_secure = site.is_some() || headers.get(FORWARDED_PROTOCOL).is_some_and(|value| value == "https");
    let secure = if is_secure { "; Secure" } else { "" };
    let own_arms = format!("{ARMS_SUFFIX}_{project_key}");
    [ID_SUFFIX, ARMS_SUFFIX, own_arms.as_str()]
        .into_iter()
        .filter_map(|suffix| {
            // When several cookies have one name, the first is the most specific. The script uses that one too.
            let value = of(suffix).first().copied().filter(|value| !value.is_empty())?;
            let line = format!("{global}{suffix}={value}; Path=/; Max-Age={LIFETIME_S}; SameSite=Lax{domain}{secure}");
            HeaderValue::from_str(&line).ok()
        })
        .collect()
}

/// Cookie names and values as sent.
pub(crate) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let fields = headers.get_all(COOKIE).iter().filter_map(|field| field.to_str().ok());
    fields.flat_map(|field| field.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

/// Decodes the output of `encodeURIComponent`.
fn decoded(value: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, after @ ..] = rest else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
        rest = after;
    }
    Some(bytes)
}

/// Returns whether the text is a domain name that can have cookies: at least two labels of letters, digits and inner
/// `-`. The browser checks that it is the site's own domain.
fn is_domain(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.contains('.') && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGE: &str = "Path=/; Max-Age=34560000; SameSite=Lax";

    #[track_caller]
    fn check(fields: &[(&'static str, &str)], domain: Option<&str>, expect: &[String]) {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let renewed = renewals(&headers, "muriel", "prj_1", "v 1", domain);
        assert_eq!(renewed, expect.iter().map(|line| HeaderValue::from_str(line).unwrap()).collect::<Vec<_>>());
    }

    #[test]
    fn who_is_renewed() {
        let id = ("cookie", "a=b; muriel_id=v%201; c=d");
        let renewed = format!("muriel_id=v%201; {AGE}");
        let secure = format!("{renewed}; Secure");
        check(&[id], None, std::slice::from_ref(&renewed));
        for site in ["same-origin", "same-site"] {
            check(&[id, ("sec-fetch-site", site)], None, std::slice::from_ref(&secure));
        }
        check(&[id, ("x-forwarded-proto", "https")], None, &[secure]);
        check(&[id, ("x-forwarded-proto", "http")], None, &[renewed]);
        for site in ["cross-site", "none", ""] {
            check(&[id, ("sec-fetch-site", site)], None, &[]);
        }
        for other in
            ["", "muriel_id=v", "muriel_id=", "muriel_id=v%2", "muriel_id=v%ZZ1", "xmuriel_id=v%201", "muriel=v%201"]
        {
            check(&[("cookie", other)], None, &[]);
        }
        check(&[], None, &[]);
    }

    #[test]
    fn arms_are_renewed_with_the_id_and_only_then() {
        let (id, arms) = (format!("muriel_id=v%201; {AGE}"), format!("muriel_a=1.2~3.0; {AGE}"));
        check(&[("cookie", "muriel_a=1.2~3.0; muriel_id=v%201")], None, &[id.clone(), arms.clone()]);
        check(&[("cookie", "muriel_id=v%201"), ("cookie", "muriel_a=1.2~3.0")], None, &[id, arms]);
        check(&[("cookie", "muriel_a=1.2~3.0; muriel_id=other")], None, &[]);
    }

    #[test]
    fn arms_are_renewed_by_events_of_their_project() {
        let renewed = [format!("muriel_id=v%201; {AGE}"), format!("muriel_a_prj_1=1.2; {AGE}")];
        check(&[("cookie", "muriel_a_prj_1=1.2; muriel_a_prj_2=3.0; muriel_id=v%201")], None, &renewed);
        check(&[("cookie", "muriel_a_prj_1=1.2; muriel_id=other")], None, &[]);
    }

    #[test]
    fn domains_are_names_and_nothing_else() {
        let id = [("cookie", "muriel_id=v%201")];
        for domain in ["example.com", "a-b.Example.co.uk"] {
            check(&id, Some(domain), &[format!("muriel_id=v%201; {AGE}; Domain={domain}")]);
        }
        for domain in
            ["", "com", ".example.com", "example.com.", "a..b", "-a.b", "a-.b", "a.b; Secure", "a.b,c.d", "ä.de"]
        {
            check(&id, Some(domain), &[]);
        }
    }
}
