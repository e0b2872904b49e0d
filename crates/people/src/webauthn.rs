//! Messages of browsers about passkeys (Web Authentication, level 3): registrations and assertions,
//! parsed and verified.
//!
//! The origin of an authenticator is not checked (attestation `none`): it is enough that the same one answers again.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Maximum length of a part of a message, in bytes.
const PART_MAX: usize = 16 << 10;
/// Maximum length of a credential id, in bytes.
const ID_MAX: usize = 1_023;
/// Maximum nesting depth of CBOR.
const DEPTH_MAX: usize = 8;

/// Flags: the user touched the authenticator; the authenticator verified the user; the data includes a
/// new credential.
const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_CREDENTIAL: u8 = 0x40;

/// Values that a message has to match.
pub(super) struct Ceremony<'c> {
    /// Origin of the server.
    pub(super) origin: &'c str,
    /// Host of the server, which passkeys are bound to.
    pub(super) rp_id: &'c str,
}

/// A new credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewCredential {
    /// Id of the credential at the authenticator.
    pub(super) id: Vec<u8>,
    /// Public key (COSE).
    pub(super) key: Vec<u8>,
    /// Number of uses; 0 where the authenticator does not count them.
    pub(super) count: u32,
}

/// A browser's message, in the form of a credential's `toJSON`.
#[derive(Deserialize)]
struct Message {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(rename = "clientDataJSON")]
    client_data: String,
    attestation_object: Option<String>,
    authenticator_data: Option<String>,
    signature: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

/// A parsed message, with the challenge that it answers. Nothing in it is verified yet.
pub(super) struct Read {
    message: Message,
    client_data: Vec<u8>,
    parsed: ClientData,
}

type Refused = &'static str;

fn decoded(text: &str) -> Result<Vec<u8>, Refused> {
    if text.len() > PART_MAX {
        return Err("a part of the credential is too long");
    }
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|_| "a part of the credential is not base64url")
}

impl Read {
    /// Parses a message.
    ///
    /// # Errors
    /// A description of what is wrong with the message.
    pub(super) fn of(credential: &Value) -> Result<Self, Refused> {
        let message = Message::deserialize(credential).map_err(|_| "is not a credential as browsers send it")?;
        if message.kind != "public-key" {
            return Err("is not a public key");
        }
        let client_data = decoded(&message.response.client_data)?;
        let parsed = serde_json::from_slice(&client_data).map_err(|_| "has client data that cannot be read")?;
        Ok(Self { message, client_data, parsed })
    }

    /// The challenge that the message answers.
    pub(super) fn challenge(&self) -> &str {
        &self.parsed.challenge
    }

    /// Id of the credential at the authenticator.
    ///
    /// # Errors
    /// A value that cannot be an id.
    pub(super) fn id(&self) -> Result<Vec<u8>, Refused> {
        decoded(&self.message.id)
            .and_then(|id| if (1..=ID_MAX).contains(&id.len()) { Ok(id) } else { Err("has no id") })
    }

    fn check(&self, ceremony: &Ceremony<'_>, kind: &str) -> Result<(), Refused> {
        if self.parsed.kind != kind {
            return Err("was made for another purpose");
        }
        if self.parsed.origin != ceremony.origin || self.parsed.cross_origin {
            return Err("was made on a page of another site");
        }
        Ok(())
    }

    /// Verifies a registration and returns the new credential.
    ///
    /// # Errors
    /// A description of what is wrong with the message.
    pub(super) fn registered(&self, ceremony: &Ceremony<'_>) -> Result<NewCredential, Refused> {
        self.check(ceremony, "webauthn.create")?;
        let object = decoded(self.message.response.attestation_object.as_deref().ok_or("has no attestation")?)?;
        let Some(Cbor::Map(object)) = Cbor::read_all(&object) else {
            return Err("has an attestation that cannot be read");
        };
        let data = object.iter().find_map(|(name, value)| match (name, value) {
            (Cbor::Text(name), Cbor::Bytes(data)) if *name == "authData" => Some(*data),
            _ => None,
        });
        let data = AuthenticatorData::read(data.ok_or("has no authenticator data")?, ceremony)?;
        if data.flags & HAS_CREDENTIAL == 0 {
            return Err("has no new credential");
        }
        const SHORT: Refused = "has incomplete authenticator data";
        // The model of the authenticator, then the length of the id, the id, and the key.
        let (_, rest) = data.rest.split_at_checked(16).ok_or(SHORT)?;
        let (length, rest) = rest.split_first_chunk::<2>().ok_or(SHORT)?;
        let (id, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length))).ok_or(SHORT)?;
        let (_, after) = Cbor::read(rest, 0).ok_or("has a key that cannot be read")?;
        let key = &rest[..rest.len() - after.len()];
        if id != self.id()? {
            return Err("has two different ids");
        }
        PublicKey::read(key).ok_or("has a key of an unsupported type")?;
        Ok(NewCredential { id: id.to_vec(), key: key.to_vec(), count: data.count })
    }

    /// Verifies an assertion, which is a passkey's response at sign-in, and returns its signature counter.
    ///
    /// # Errors
    /// A description of what is wrong with the message.
    pub(super) fn asserted(&self, ceremony: &Ceremony<'_>, key: &[u8]) -> Result<u32, Refused> {
        self.check(ceremony, "webauthn.get")?;
        let part = |text: &Option<String>| decoded(text.as_deref().ok_or("is not complete")?);
        let response = &self.message.response;
        let (data, signature) = (part(&response.authenticator_data)?, part(&response.signature)?);
        let count = AuthenticatorData::read(&data, ceremony)?.count;
        let signed = [&data[..], &Sha256::digest(&self.client_data)].concat();
        match PublicKey::read(key) {
            Some(key) if key.verifies(&signed, &signature) => Ok(count),
            _ => Err("is not signed by the passkey"),
        }
    }
}

struct AuthenticatorData<'d> {
    flags: u8,
    count: u32,
    rest: &'d [u8],
}

impl<'d> AuthenticatorData<'d> {
    fn read(data: &'d [u8], ceremony: &Ceremony<'_>) -> Result<Self, Refused> {
        const SHORT: Refused = "has incomplete authenticator data";
        let (host, rest) = data.split_first_chunk::<32>().ok_or(SHORT)?;
        let (&flags, rest) = rest.split_first().ok_or(SHORT)?;
        let (count, rest) = rest.split_first_chunk::<4>().ok_or(SHORT)?;
        if !bool::from(host.ct_eq(&Sha256::digest(ceremony.rp_id)[..])) {
            return Err("belongs to another site");
        }
        // The passkey replaces password and code, so the authenticator has to verify its user.
        if flags & USER_PRESENT == 0 || flags & USER_VERIFIED == 0 {
            return Err("was made without verifying the user");
        }
        Ok(Self { flags, count: u32::from_be_bytes(*count), rest })
    }
}

/// A public key of one of the requested kinds.
enum PublicKey<'k> {
    P256(Vec<u8>),
    Ed25519(&'k [u8]),
    Rsa { n: &'k [u8], e: &'k [u8] },
}

impl<'k> PublicKey<'k> {
    /// Parses a key in the COSE format (RFC 9053).
    fn read(cose: &'k [u8]) -> Option<Self> {
        let Cbor::Map(fields) = Cbor::read_all(cose)? else { return None };
        let field = |wanted: i64| fields.iter().find(|(name, _)| *name == Cbor::Int(wanted)).map(|(_, value)| value);
        let int = |wanted| match field(wanted) {
            Some(Cbor::Int(value)) => Some(*value),
            _ => None,
        };
        let bytes = |wanted| match field(wanted) {
            Some(Cbor::Bytes(value)) => Some(*value),
            _ => None,
        };
        match (int(1)?, int(3)?) {
            (2, -7) if int(-1)? == 1 => {
                let (x, y) = (bytes(-2)?, bytes(-3)?);
                (x.len() == 32 && y.len() == 32).then(|| Self::P256([&[4][..], x, y].concat()))
            }
            (1, -8) if int(-1)? == 6 => bytes(-2).filter(|key| key.len() == 32).map(Self::Ed25519),
            (3, -257) => Some(Self::Rsa { n: bytes(-1)?, e: bytes(-2)? }),
            _ => None,
        }
    }

    fn verifies(&self, signed: &[u8], by: &[u8]) -> bool {
        match self {
            Self::P256(point) => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_ASN1, point).verify(signed, by).is_ok()
            }
            Self::Ed25519(key) => UnparsedPublicKey::new(&signature::ED25519, key).verify(signed, by).is_ok(),
            Self::Rsa { n, e } => {
                let how = &signature::RSA_PKCS1_2048_8192_SHA256;
                RsaPublicKeyComponents { n, e }.verify(how, signed, by).is_ok()
            }
        }
    }
}

/// The subset of CBOR (RFC 8949) that authenticators use: definite lengths and integers.
#[derive(Debug, PartialEq)]
enum Cbor<'b> {
    Int(i64),
    Bytes(&'b [u8]),
    Text(&'b str),
    List(Vec<Cbor<'b>>),
    Map(Vec<(Cbor<'b>, Cbor<'b>)>),
    /// The values `false`, `true` and `null`.
    Simple(u8),
}

impl<'b> Cbor<'b> {
    /// Parses bytes that consist of exactly one value.
    fn read_all(bytes: &'b [u8]) -> Option<Self> {
        Self::read(bytes, 0).filter(|(_, rest)| rest.is_empty()).map(|(value, _)| value)
    }

    /// Parses the value at the beginning of the bytes, and returns the rest.
    fn read(bytes: &'b [u8], depth: usize) -> Option<(Self, &'b [u8])> {
        let (&first, rest) = bytes.split_first()?;
        let (kind, short) = (first >> 5, first & 0x1f);
        let (number, rest) = match short {
            0..=23 => (u64::from(short), rest),
            24 => rest.split_first().map(|(byte, rest)| (u64::from(*byte), rest))?,
            25 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u16::from_be_bytes(*bytes)), rest))?,
            26 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from(u32::from_be_bytes(*bytes)), rest))?,
            27 => rest.split_first_chunk().map(|(bytes, rest)| (u64::from_be_bytes(*bytes), rest))?,
            _ => return None,
        };
        let int = i64::try_from(number).ok()?;
        let length = usize::try_from(number).ok()?;
        match kind {
            0 => Some((Self::Int(int), rest)),
            1 => Some((Self::Int(-1 - int), rest)),
            2 => rest.split_at_checked(length).map(|(bytes, rest)| (Self::Bytes(bytes), rest)),
            3 => {
                let (text, rest) = rest.split_at_checked(length)?;
                Some((Self::Text(std::str::from_utf8(text).ok()?), rest))
            }
            // Each item takes at least one byte, so the length cannot exceed the rest.
            4 | 5 if depth >= DEPTH_MAX || length > rest.len() => None,
            4 => {
                let (mut items, mut rest) = (Vec::new(), rest);
                for _ in 0..length {
                    let (item, after) = Self::read(rest, depth + 1)?;
                    items.push(item);
                    rest = after;
                }
                Some((Self::List(items), rest))
            }
            5 => {
                let (mut fields, mut rest) = (Vec::new(), rest);
                for _ in 0..length {
                    let (name, after) = Self::read(rest, depth + 1)?;
                    let (value, after) = Self::read(after, depth + 1)?;
                    if fields.iter().any(|(known, _)| *known == name) {
                        return None;
                    }
                    fields.push((name, value));
                    rest = after;
                }
                Some((Self::Map(fields), rest))
            }
            7 if (20..=22).contains(&short) => Some((Self::Simple(short), rest)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
    use serde_json::json;

    const CEREMONY: Ceremony<'static> = Ceremony { origin: "https://muriel.example", rp_id: "muriel.example" };

    /// A software authenticator.
    struct Authenticator(EcdsaKeyPair);

    /// Data of an authenticator's message, which tests modify.
    #[derive(Clone)]
    struct Says {
        kind: &'static str,
        origin: &'static str,
        cross: bool,
        rp_id: &'static str,
        flags: u8,
        count: u32,
    }

    fn says(kind: &'static str) -> Says {
        let flags = USER_PRESENT | USER_VERIFIED | if kind == "webauthn.create" { HAS_CREDENTIAL } else { 0 };
        Says { kind, origin: CEREMONY.origin, cross: false, rp_id: CEREMONY.rp_id, flags, count: 7 }
    }

    impl Authenticator {
        fn new() -> Self {
            let random = SystemRandom::new();
            let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
            let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random);
            Self(pair.unwrap())
        }

        /// A map of five: kty 2, alg -7, crv 1, x, y.
        fn cose(&self) -> Vec<u8> {
            let point = self.0.public_key().as_ref();
            let mut key = vec![0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
            key.extend(&point[1..33]);
            key.extend([0x22, 0x58, 0x20]);
            key.extend(&point[33..]);
            key
        }

        fn data(&self, says: &Says) -> Vec<u8> {
            let mut data = Sha256::digest(says.rp_id).to_vec();
            data.push(says.flags);
            data.extend(says.count.to_be_bytes());
            data
        }

        fn client_data(says: &Says) -> String {
            json!({ "type": says.kind, "challenge": "Y2g", "origin": says.origin, "crossOrigin": says.cross })
                .to_string()
        }

        fn creates(&self, says: &Says) -> Value {
            let mut data = self.data(says);
            data.extend([0; 16]);
            data.extend([0, 4, 1, 2, 3, 4]);
            data.extend(self.cose());
            let mut object = vec![0xa3, 0x63];
            object.extend(b"fmt\x64none");
            object.push(0x67);
            object.extend(b"attStmt\xa0\x68authData\x58");
            object.push(u8::try_from(data.len()).unwrap());
            object.extend(data);
            json!({ "id": "AQIDBA", "type": "public-key", "response": {
                "clientDataJSON": URL_SAFE_NO_PAD.encode(Self::client_data(says)),
                "attestationObject": URL_SAFE_NO_PAD.encode(object),
            } })
        }

        fn gets(&self, says: &Says) -> Value {
            let (data, client_data) = (self.data(says), Self::client_data(says));
            let signed = [&data[..], &Sha256::digest(&client_data)].concat();
            let signature = self.0.sign(&SystemRandom::new(), &signed).unwrap();
            json!({ "id": "AQIDBA", "type": "public-key", "response": {
                "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
                "authenticatorData": URL_SAFE_NO_PAD.encode(data),
                "signature": URL_SAFE_NO_PAD.encode(signature.as_ref()),
            } })
        }
    }

    #[test]
    fn an_authenticator_registers_and_answers() {
        let authenticator = Authenticator::new();
        let made = Read::of(&authenticator.creates(&says("webauthn.create"))).unwrap();
        assert_eq!(made.challenge(), "Y2g");
        let credential = made.registered(&CEREMONY).unwrap();
        assert_eq!(credential, NewCredential { id: vec![1, 2, 3, 4], key: authenticator.cose(), count: 7 });
        let got = Read::of(&authenticator.gets(&says("webauthn.get"))).unwrap();
        assert_eq!((got.id(), got.asserted(&CEREMONY, &credential.key)), (Ok(vec![1, 2, 3, 4]), Ok(7)));
        assert!(got.asserted(&CEREMONY, &Authenticator::new().cose()).is_err());
        assert!(got.registered(&CEREMONY).is_err() && made.asserted(&CEREMONY, &credential.key).is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let authenticator = Authenticator::new();
        for kind in ["webauthn.create", "webauthn.get"] {
            let good = says(kind);
            for (other, expect) in [
                (Says { kind: "payment.get", ..good.clone() }, "another purpose"),
                (Says { origin: "https://muriel.example.evil.example", ..good.clone() }, "another site"),
                (Says { origin: "http://muriel.example", ..good.clone() }, "another site"),
                (Says { cross: true, ..good.clone() }, "another site"),
                (Says { rp_id: "example", ..good.clone() }, "another site"),
                (Says { flags: good.flags & !USER_VERIFIED, ..good.clone() }, "verifying the user"),
                (Says { flags: good.flags & !USER_PRESENT, ..good.clone() }, "verifying the user"),
            ] {
                let refused = if kind == "webauthn.create" {
                    Read::of(&authenticator.creates(&other)).unwrap().registered(&CEREMONY).map(drop)
                } else {
                    Read::of(&authenticator.gets(&other)).unwrap().asserted(&CEREMONY, &authenticator.cose()).map(drop)
                };
                assert!(refused.unwrap_err().contains(expect), "{kind} {expect}");
            }
        }
        // The signed data is what counts.
        let mut other = authenticator.gets(&says("webauthn.get"));
        other["response"]["clientDataJSON"] =
            authenticator.gets(&Says { count: 8, ..says("webauthn.get") })["response"]["clientDataJSON"].clone();
        other["response"]["authenticatorData"] =
            authenticator.gets(&Says { count: 8, ..says("webauthn.get") })["response"]["authenticatorData"].clone();
        assert!(Read::of(&other).unwrap().asserted(&CEREMONY, &authenticator.cose()).is_err());
        for odd in [json!(null), json!({}), json!({ "id": "x", "type": "public-key", "response": {} })] {
            assert!(Read::of(&odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn cbor_has_one_reading() {
        for (bytes, expect) in [
            (&[0x17][..], Some(Cbor::Int(23))),
            (&[0x18, 0x64], Some(Cbor::Int(100))),
            (&[0x38, 0x63], Some(Cbor::Int(-100))),
            (&[0x1b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Some(Cbor::Int(i64::MAX))),
            (&[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], None),
            (&[0x42, 1, 2], Some(Cbor::Bytes(&[1, 2]))),
            (&[0x42, 1], None),
            (&[0x62, b'o', b'k'], Some(Cbor::Text("ok"))),
            (&[0x61, 0xff], None),
            (&[0x82, 0xf5, 0xf6], Some(Cbor::List(vec![Cbor::Simple(21), Cbor::Simple(22)]))),
            (&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], None),
            (&[0x9f, 0xff], None),
            (&[0xa2, 1, 1, 1, 2], None),
            (&[0x01, 0x01], None),
            (&[], None),
        ] {
            assert_eq!(Cbor::read_all(bytes), expect, "{bytes:x?}");
        }
        assert!(Cbor::read_all(&[&[0x81; DEPTH_MAX][..], &[1]].concat()).is_some());
        assert_eq!(Cbor::read_all(&[&[0x81; DEPTH_MAX + 1][..], &[1]].concat()), None);
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Cbor::read_all(&bytes);
            let _ = PublicKey::read(&bytes);
            let message = json!({ "id": "AQ", "type": "public-key", "response": {
                "clientDataJSON": URL_SAFE_NO_PAD.encode(Authenticator::client_data(&says("webauthn.create"))),
                "attestationObject": URL_SAFE_NO_PAD.encode(&bytes),
            } });
            let _ = Read::of(&message).unwrap().registered(&CEREMONY);
        }
    }
}
