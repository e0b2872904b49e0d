use super::*;
use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use tower::ServiceExt;

async fn get(path: &str, fields: &[(&str, &str)]) -> (http::response::Parts, Vec<u8>) {
    // These routes do not use the application's state.
    let router: Router = PAGES
        .into_iter()
        .fold(Router::new(), |router, page| router.route(page, axum::routing::get(page_show)))
        .route("/assets/{build}/{file}", axum::routing::get(file_show));
    let mut request = Request::get(path);
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    let (parts, body) = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap().into_parts();
    (parts, body.collect().await.unwrap().to_bytes().to_vec())
}

fn nonce_of(text: &str, before: &str) -> String {
    text.split_once(before).unwrap().1.chars().take_while(char::is_ascii_hexdigit).collect()
}

#[tokio::test]
async fn every_address_of_the_application_is_the_page_with_a_nonce_of_its_own() {
    let mut nonces = Vec::new();
    for path in
        ["/", "/sign-in", "/invitation", "/experiments?search=x", "/account", "/settings/people", "/p/prj_1/goals/7"]
    {
        let (parts, body) = get(path, &[]).await;
        assert_eq!(parts.status, StatusCode::OK, "{path}");
        assert_eq!(parts.headers["content-type"], "text/html; charset=utf-8");
        let policy = parts.headers["content-security-policy"].to_str().unwrap();
        for wanted in
            ["default-src 'none'", "'strict-dynamic'", "require-trusted-types-for 'script'", "frame-ancestors 'none'"]
        {
            assert!(policy.contains(wanted), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(parts.headers["cross-origin-opener-policy"], "same-origin");
        let page = String::from_utf8(body).unwrap();
        assert!(!page.contains("{nonce}") && !page.contains("{files}"), "{page}");
        assert_eq!(page.matches("<script").count(), 1);
        let nonce = nonce_of(&page, "nonce=\"");
        assert_eq!(nonce_of(policy, "'nonce-"), nonce);
        assert_eq!(nonce.len(), 32);
        nonces.push(nonce);
    }
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 7);
}

#[tokio::test]
async fn the_page_of_a_shared_result_has_a_policy_of_its_own() {
    for (status, notice) in [(StatusCode::OK, ""), (StatusCode::GONE, "This link has expired.")] {
        let (parts, body) = shared_page(status, notice).unwrap().into_parts();
        assert_eq!(parts.status, status);
        let policy = parts.headers["content-security-policy"].to_str().unwrap();
        for wanted in
            ["default-src 'none'", "'strict-dynamic'", "form-action 'none'", "require-trusted-types-for 'script'"]
        {
            assert!(policy.contains(wanted), "{policy}");
        }
        // A report would contain the address, and with it the token.
        assert!(!policy.contains("unsafe") && !policy.contains("report"), "{policy}");
        for (name, value) in
            [("referrer-policy", "no-referrer"), ("x-robots-tag", "noindex, nofollow"), ("cache-control", "no-store")]
        {
            assert_eq!(parts.headers[name], value);
        }
        let page = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        assert!(!page.contains('{') && page.contains(&format!("<p>{notice}</p>")), "{page}");
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(nonce_of(policy, "'nonce-"), nonce_of(&page, "nonce=\""));
    }
}

#[tokio::test]
async fn files_are_cached_for_ever_and_are_of_one_build() {
    let (_, page) = get("/", &[]).await;
    let page = String::from_utf8(page).unwrap();
    let script = page.split_once("src=\"").unwrap().1.split('"').next().unwrap();
    let (parts, body) = get(script, &[("accept-encoding", "gzip, br")]).await;
    assert_eq!(parts.status, StatusCode::OK, "{script}");
    assert_eq!(parts.headers["content-encoding"], "br");
    assert_eq!(parts.headers["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(parts.headers["cache-control"], "public, max-age=31536000, immutable");
    let (_, embedded) = FILES.iter().find(|(name, _)| *name == "app.js").unwrap();
    assert_eq!(body, *embedded);

    let (plain, text) = get(script, &[]).await;
    assert!(!plain.headers.contains_key("content-encoding"));
    assert!(String::from_utf8(text).unwrap().contains("import"));
    let tag = plain.headers["etag"].to_str().unwrap();
    assert_eq!(get(script, &[("if-none-match", tag)]).await.0.status, StatusCode::NOT_MODIFIED);

    for missing in [
        script.replace("/assets/", "/assets/0"),
        script.replace("app.js", "index.html"),
        script.replace("app.js", "share.html"),
        script.replace("app.js", "none.js"),
        script.replace("app.js", "..%2Fapp.js"),
    ] {
        assert_eq!(get(&missing, &[]).await.0.status, StatusCode::NOT_FOUND, "{missing}");
    }
}

#[test]
fn every_chunk_that_a_file_imports_is_there() {
    let mut chunks = 0;
    for file in &SITE.files {
        let text = std::str::from_utf8(&file.body.plain).unwrap();
        assert!(!text.is_empty(), "{}", file.name);
        for (_, rest) in text.match_indices("./").map(|(at, _)| text.split_at(at)) {
            let name = rest[2..].split(['"', '\'', '`']).next().unwrap();
            let is_chunk = name.ends_with(".js") && name.len() < 64;
            chunks += usize::from(is_chunk);
            assert!(!is_chunk || SITE.files.iter().any(|other| other.name == name), "{} imports {name}", file.name);
        }
    }
    assert!(chunks > 100, "{chunks} imports");
}
