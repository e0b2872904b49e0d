//! ID tokens of an OpenID provider (JWT, RFC 7519): signatures and claims.
//!
//! Only public-key signatures are accepted. Unsigned tokens and tokens signed with a shared secret are
//! refused, whatever the token says.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use muriel_domain::Instant;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm};
use serde::Deserialize;
use serde_json::Value;

/// Maximum length of a token, in bytes.
const TOKEN_MAX: usize = 32 << 10;
/// Allowed difference between two clocks.
const SKEW_S: i64 = 60;
/// Maximum age of a token that was issued for this sign-in.
const AGE_MAX_S: i64 = 600;
/// Most keys of a provider that are read.
const KEYS_MAX: usize = 100;

/// The public keys of a provider (JWK, RFC 7517).
#[derive(Debug, Clone, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Debug, Clone)]
struct Key {
    id: Option<String>,
    /// The only algorithm that the key may be used with, if it has one.
    algorithm: Option<String>,
    material: Material,
}

#[derive(Debug, Clone)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Keys {
    /// Reads the keys of a JWK set. Skips keys of other kinds and for other uses than signing.
    pub(super) fn read(set: &Value) -> Self {
        let all = set["keys"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self(all.iter().take(KEYS_MAX).filter_map(|key| Key::read(Jwk::deserialize(key).ok()?)).collect())
    }

    /// Returns whether one of the keys may have made a token's signature.
    pub(super) fn has(&self, header: &Header) -> bool {
        self.of(header).next().is_some()
    }

    fn of<'k>(&'k self, header: &'k Header) -> impl Iterator<Item = &'k Key> {
        self.0.iter().filter(|key| match (&header.kid, &key.id) {
            (Some(wanted), Some(id)) => wanted == id,
            (Some(_), None) => false,
            (None, _) => true,
        })
    }
}

impl Key {
    fn read(jwk: Jwk) -> Option<Self> {
        if jwk.usage.is_some_and(|usage| usage != "sig") {
            return None;
        }
        let bytes = |text: Option<String>| URL_SAFE_NO_PAD.decode(text?).ok();
        let point = |length: usize, x: Option<String>, y: Option<String>| {
            let (x, y) = (bytes(x)?, bytes(y)?);
            (x.len() == length && y.len() == length).then(|| [&[4][..], &x, &y].concat())
        };
        let material = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", _) => Material::Rsa { n: bytes(jwk.n)?, e: bytes(jwk.e)? },
            ("EC", Some("P-256")) => Material::P256(point(32, jwk.x, jwk.y)?),
            ("EC", Some("P-384")) => Material::P384(point(48, jwk.x, jwk.y)?),
            ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(jwk.x)?),
            _ => return None,
        };
        Some(Self { id: jwk.kid, algorithm: jwk.alg, material })
    }

    fn verifies(&self, algorithm: &str, signed: &[u8], signature: &[u8]) -> bool {
        if self.algorithm.as_deref().is_some_and(|only| only != algorithm) {
            return false;
        }
        let with = |how: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(how, key).verify(signed, signature).is_ok()
        };
        match (&self.material, algorithm) {
            (Material::Rsa { n, e }, _) => {
                let how = match algorithm {
                    "RS256" => &signature::RSA_PKCS1_2048_8192_SHA256,
                    "RS384" => &signature::RSA_PKCS1_2048_8192_SHA384,
                    "RS512" => &signature::RSA_PKCS1_2048_8192_SHA512,
                    "PS256" => &signature::RSA_PSS_2048_8192_SHA256,
                    "PS384" => &signature::RSA_PSS_2048_8192_SHA384,
                    "PS512" => &signature::RSA_PSS_2048_8192_SHA512,
                    _ => return false,
                };
                RsaPublicKeyComponents { n, e }.verify(how, signed, signature).is_ok()
            }
            (Material::P256(point), "ES256") => with(&signature::ECDSA_P256_SHA256_FIXED, point),
            (Material::P384(point), "ES384") => with(&signature::ECDSA_P384_SHA384_FIXED, point),
            (Material::Ed25519(key), "EdDSA" | "Ed25519") => with(&signature::ED25519, key),
            _ => false,
        }
    }
}

/// Header of a token, which describes its signature.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that must be understood. None is supported.
    crit: Option<Value>,
}

/// A decoded token. Nothing in it is verified yet.
pub(super) struct Token<'t> {
    pub(super) header: Header,
    signed: &'t str,
    claims: Vec<u8>,
    signature: Vec<u8>,
}

/// Values of this sign-in that a token has to match.
pub(super) struct Expected<'e> {
    pub(super) issuer: &'e str,
    pub(super) client_id: &'e str,
    pub(super) nonce: &'e str,
    pub(super) now: Instant,
}

/// The person who signed in at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    /// Permanent id of the person at the provider.
    pub(super) subject: String,
    /// E-mail address, if the provider has verified it.
    pub(super) email: Option<String>,
    /// Name of the person.
    pub(super) name: Option<String>,
}

impl Identity {
    /// Adds the e-mail address, if it is verified, and the name from these claims.
    pub(super) fn with(self, claims: &Value) -> Self {
        let is_verified = claims["email_verified"] == true || claims["email_verified"] == "true";
        let email = claims["email"].as_str().filter(|_| is_verified);
        let name = claims["name"].as_str();
        Self {
            email: email.and_then(|email| muriel_domain::person::email(email).ok()),
            name: name.and_then(|name| muriel_domain::person::name(name).ok()).or(self.name),
            ..self
        }
    }
}

impl<'t> Token<'t> {
    /// Decodes a token.
    ///
    /// # Errors
    /// The fault of the token, for the log.
    pub(super) fn read(text: &'t str) -> Result<Self, &'static str> {
        const SHAPE: &str = "the ID token is not three parts of base64url with dots between";
        if text.len() > TOKEN_MAX {
            return Err("the ID token is longer than 32 KiB");
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(SHAPE)?;
        let (header, claims) = signed.split_once('.').filter(|(_, claims)| !claims.contains('.')).ok_or(SHAPE)?;
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| SHAPE);
        let header: Header =
            serde_json::from_slice(&decoded(header)?).map_err(|_| "the header of the ID token cannot be read")?;
        if header.crit.is_some() {
            return Err("the ID token requires unknown extensions");
        }
        Ok(Self { header, signed, claims: decoded(claims)?, signature: decoded(signature)? })
    }

    /// Returns the person, once the token is known to be signed by the provider for this sign-in.
    ///
    /// # Errors
    /// The fault of the token, for the log.
    pub(super) fn verified(&self, keys: &Keys, expected: &Expected<'_>) -> Result<Identity, &'static str> {
        let fits = |key: &Key| key.verifies(&self.header.alg, self.signed.as_bytes(), &self.signature);
        if !keys.of(&self.header).any(fits) {
            return Err("the signature of the ID token does not match a key of the provider");
        }
        let claims: Value =
            serde_json::from_slice(&self.claims).map_err(|_| "the claims of the ID token are not JSON")?;
        let text = |name: &str| claims[name].as_str();
        if text("iss") != Some(expected.issuer) {
            return Err("the ID token is from another issuer");
        }
        let audience = match &claims["aud"] {
            Value::String(one) => vec![one.as_str()],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !audience.contains(&expected.client_id) {
            return Err("the ID token is for another client");
        }
        let is_ours = |party: Option<&str>| party == Some(expected.client_id);
        if (audience.len() > 1 || !claims["azp"].is_null()) && !is_ours(text("azp")) {
            return Err("the ID token was given to another client");
        }
        self.check_times(&claims, expected.now)?;
        if text("nonce") != Some(expected.nonce) {
            return Err("the ID token belongs to another sign-in");
        }
        let subject =
            text("sub").filter(|sub| (1..=255).contains(&sub.len())).ok_or("the ID token has no valid subject")?;
        Ok(Identity { subject: subject.to_owned(), email: None, name: None }.with(&claims))
    }

    fn check_times(&self, claims: &Value, now: Instant) -> Result<(), &'static str> {
        let now_s = now.us().div_euclid(1_000_000);
        // Fractions are allowed (RFC 7519, section 2).
        let moment = |name: &str| claims[name].as_f64().filter(|moment| moment.is_finite()).map(|moment| moment as i64);
        let expires = moment("exp").ok_or("the ID token does not say when it expires")?;
        let made = moment("iat").ok_or("the ID token does not say when it was made")?;
        if expires.saturating_add(SKEW_S) <= now_s {
            return Err("the ID token has expired");
        }
        if made > now_s.saturating_add(SKEW_S) || moment("nbf").is_some_and(|from| from > now_s.saturating_add(SKEW_S))
        {
            return Err("the ID token is dated in the future: check the clocks");
        }
        if made.saturating_add(AGE_MAX_S + SKEW_S) < now_s {
            return Err("the ID token is too old for this sign-in");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
    use serde_json::json;

    const NOW_S: i64 = 1_800_000_000;

    struct Signer(EcdsaKeyPair);

    impl Signer {
        fn new() -> Self {
            let random = SystemRandom::new();
            let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
            let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random);
            Self(pair.unwrap())
        }

        fn keys(&self) -> Keys {
            let point = self.0.public_key().as_ref();
            let [x, y] = [&point[1..33], &point[33..]].map(|part| URL_SAFE_NO_PAD.encode(part));
            Keys::read(&json!({ "keys": [
                { "kty": "oct", "k": "AAAA" },
                { "kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "x": x, "y": y },
            ] }))
        }

        fn token(&self, header: Value, claims: &Value) -> String {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let signed = format!("{}.{}", part(&header), part(claims));
            let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
            format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
        }
    }

    fn claims() -> Value {
        json!({
            "iss": "https://id.example", "aud": "muriel", "sub": "u1", "nonce": "n1", "exp": NOW_S + 300, "iat": NOW_S,
            "email": "Ada@Example.com", "email_verified": true, "name": "Ada",
        })
    }

    fn judged(keys: &Keys, token: &str) -> Result<Identity, &'static str> {
        let now = Instant::from_us(NOW_S * 1_000_000);
        let expected = Expected { issuer: "https://id.example", client_id: "muriel", nonce: "n1", now };
        Token::read(token)?.verified(keys, &expected)
    }

    #[test]
    fn claims_have_to_fit() {
        let signer = Signer::new();
        let keys = signer.keys();
        let header = json!({ "alg": "ES256", "kid": "k1" });
        let good = judged(&keys, &signer.token(header.clone(), &claims())).unwrap();
        let ada = Identity { subject: "u1".into(), email: Some("ada@example.com".into()), name: Some("Ada".into()) };
        assert_eq!(good, ada);
        for (field, value, expect) in [
            ("iss", json!("https://id.example/"), "another issuer"),
            ("aud", json!("other"), "another client"),
            ("aud", json!([]), "another client"),
            ("aud", json!(["muriel", "other"]), "another client"),
            ("azp", json!("other"), "another client"),
            ("nonce", json!("n2"), "another sign-in"),
            ("nonce", Value::Null, "another sign-in"),
            ("exp", json!(NOW_S - 60), "has expired"),
            ("exp", json!("soon"), "does not say when it expires"),
            ("iat", json!(NOW_S + 61), "in the future"),
            ("iat", json!(NOW_S - 661), "too old"),
            ("iat", Value::Null, "does not say when it was made"),
            ("nbf", json!(NOW_S + 61), "in the future"),
            ("sub", json!(""), "no valid subject"),
            ("sub", json!(7), "no valid subject"),
        ] {
            let mut other = claims();
            other[field] = value.clone();
            let error = judged(&keys, &signer.token(header.clone(), &other)).unwrap_err();
            assert!(error.contains(expect), "{field} {value}: {error}");
        }
        for (field, value) in [("aud", json!(["muriel"])), ("exp", json!(NOW_S - 59)), ("azp", json!("muriel"))] {
            let mut other = claims();
            other[field] = value;
            judged(&keys, &signer.token(header.clone(), &other)).unwrap();
        }
        let mut unverified = claims();
        unverified["email_verified"] = json!(false);
        assert_eq!(judged(&keys, &signer.token(header, &unverified)).unwrap().email, None);
    }

    #[test]
    fn only_the_providers_keys_sign() {
        let (signer, stranger) = (Signer::new(), Signer::new());
        let keys = signer.keys();
        let header = json!({ "alg": "ES256", "kid": "k1" });
        let good = signer.token(header.clone(), &claims());
        let (signed, signature) = good.rsplit_once('.').unwrap();
        let (head, body) = signed.split_once('.').unwrap();
        let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
        for bad in [
            stranger.token(header.clone(), &claims()),
            signer.token(json!({ "alg": "ES256", "kid": "k2" }), &claims()),
            signer.token(json!({ "alg": "RS256", "kid": "k1" }), &claims()),
            signer.token(json!({ "alg": "HS256", "kid": "k1" }), &claims()),
            signer.token(json!({ "alg": "ES256", "kid": "k1", "crit": ["x"] }), &claims()),
            format!("{none}.{body}."),
            format!("{none}.{body}.{signature}"),
            format!("{head}.{body}."),
            format!("{head}.{body}"),
            format!("{good}.x"),
            format!("{head}.{}.{signature}", URL_SAFE_NO_PAD.encode(claims().to_string().replace("u1", "u2"))),
            String::new(),
            "..".to_owned(),
            "é.é.é".to_owned(),
            "A".repeat(TOKEN_MAX + 1),
        ] {
            assert!(judged(&keys, &bad).is_err(), "{bad}");
        }
        assert!(keys.has(&Token::read(&good).unwrap().header));
        assert!(!keys.has(&Header { alg: "ES256".into(), kid: Some("k2".into()), crit: None }));
        // Without a key id, every key is tried.
        judged(&keys, &signer.token(json!({ "alg": "ES256" }), &claims())).unwrap();
    }

    #[test]
    fn edwards_curves_sign_too() {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
        let x = URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
        let keys = Keys::read(&json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": x, "alg": "EdDSA" }] }));
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({ "alg": "EdDSA" })), part(&claims()));
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(pair.sign(signed.as_bytes()).as_ref()));
        judged(&keys, &token).unwrap();
    }
}
