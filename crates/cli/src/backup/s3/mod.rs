//! Backups in an Amazon S3 bucket, or in a store with the same API.

mod client;
mod lease;

use super::interrupt;
use super::store::{BackupStore, Digest, ListedFile, StoreLock};
use crate::say::say_stderr;
use crate::{Error, Result};
use clap::Args;
use client::{Answer, Client, Request};
use rusty_s3::actions::{CompleteMultipartUploadResponse, CreateMultipartUpload, ListObjectsV2};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::time::Duration;
use url::Url;

/// Size of a part of an upload or download, in bytes: the amount held in memory.
const PART_BYTES: u64 = 8 << 20;
/// Maximum number of parts of a file. S3 accepts 10,000.
const MAX_PARTS: u64 = 9_000;
/// Maximum number of listed files. A longer list is considered endless.
const MAX_LISTED: usize = 10_000_000;
/// Timeout for a small file, with all attempts.
const FILE_TIMEOUT: Duration = Duration::from_secs(600);
/// Validity of a signed URL.
const SIGNED_FOR: Duration = Duration::from_secs(600);

/// Location of the store, if it is not Amazon's or the region is not in the environment.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct S3Flags {
    /// Address of a store with the S3 API that is not Amazon's [default: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL in the
    /// environment].
    #[arg(long, value_name = "URL")]
    s3_endpoint: Option<String>,
    /// Region of the bucket [default: AWS_REGION or AWS_DEFAULT_REGION in the environment, us-east-1].
    #[arg(long, value_name = "REGION")]
    s3_region: Option<String>,
}

pub(super) struct S3Store {
    client: Client,
    bucket: Bucket,
    credentials: Credentials,
    /// Ends with a slash unless it is empty.
    prefix: String,
}

/// Environment variable that is not blank.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

impl S3Store {
    /// Opens the store at `s3://` and `address`, which has the form `bucket/prefix`.
    ///
    /// # Errors
    /// An invalid address or setting, and missing credentials.
    pub(super) fn open(address: &str, flags: &S3Flags) -> Result<Self> {
        let (name, prefix) = address.split_once('/').unwrap_or((address, ""));
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte);
        if name.len() < 3 || name.len() > 63 || !name.bytes().all(is_name) {
            return Err(Error::Refused(format!(
                "s3://{address} does not name a bucket: write s3://bucket/prefix, where the bucket has 3 to 63 lower-case \
                 letters, digits, dots, hyphens and underscores"
            )));
        }
        let prefix = prefix.trim_matches('/');
        let is_plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(char::is_control);
        if prefix.len() > 512 || (!prefix.is_empty() && !prefix.split('/').all(is_plain)) {
            return Err(Error::Refused(format!(
                "s3://{address} has a prefix that is not valid: use names separated by /"
            )));
        }
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };

        let region = flags.s3_region.clone().or_else(|| variable("AWS_REGION"));
        let region = region.or_else(|| variable("AWS_DEFAULT_REGION")).unwrap_or_else(|| "us-east-1".to_owned());
        if region.len() > 64 || !region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(Error::Setting(format!("s3-region must be the name of a region, not {region:?}")));
        }
        let endpoint = flags.s3_endpoint.clone().or_else(|| variable("AWS_ENDPOINT_URL_S3"));
        let endpoint = endpoint.or_else(|| variable("AWS_ENDPOINT_URL"));
        let (endpoint, style) = match endpoint {
            // Bucket names with dots do not fit the certificate of Amazon's host names.
            None if name.contains('.') => (format!("https://s3.{region}.amazonaws.com"), UrlStyle::Path),
            None => (format!("https://s3.{region}.amazonaws.com"), UrlStyle::VirtualHost),
            Some(endpoint) => (endpoint, UrlStyle::Path),
        };
        let bucket = Bucket::new(endpoint_url(&endpoint)?, style, name.to_owned(), region)
            .map_err(|_| Error::Setting("s3-endpoint must be an address such as https://s3.example.com".to_owned()))?;
        let credentials = Credentials::from_env().ok_or_else(|| {
            let sentence =
                "there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment";
            Error::Setting(sentence.to_owned())
        })?;
        Ok(Self { client: Client::new(name), bucket, credentials, prefix })
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn credentials(&self) -> Option<&Credentials> {
        Some(&self.credentials)
    }

    /// Sends a request, with retries. Any status but 2xx and 404 is an error.
    fn send<'a>(&self, doing: &str, action: &(impl S3Action<'a> + Clone), request: Request<'_>) -> Result<Answer> {
        self.client.send(doing, request, || {
            // Signed again for each attempt, because time has passed.
            let mut action = action.clone();
            for (name, value) in request.headers {
                action.headers_mut().insert(*name, value.clone());
            }
            action.sign(SIGNED_FOR)
        })
    }

    /// Like [`Self::send`], but a missing file is an error too.
    fn send_to<'a>(&self, doing: &str, action: &(impl S3Action<'a> + Clone), request: Request<'_>) -> Result<Answer> {
        let answer = self.send(doing, action, request)?;
        if answer.is_missing() { Err(self.client.refused(doing, &answer)) } else { Ok(answer) }
    }

    /// Returns whether the file exists with this length.
    fn is_there(&self, name: &str, bytes: u64) -> Result<bool> {
        let found = self.list(name)?;
        Ok(found.iter().any(|file| file.name.is_empty() && file.bytes == bytes))
    }

    fn put_bytes(&self, name: &str, bytes: &[u8], timeout: Duration) -> Result<()> {
        let (doing, key) = (format!("store {}", self.show(name)), self.key(name));
        let action = self.bucket.put_object(self.credentials(), &key);
        self.send_to(&doing, &action, Request::put(bytes, &client::checked(bytes)).within(timeout)).map(drop)
    }

    /// Stores a large file in parts. False when its content is not `content`.
    fn put_parts(&self, name: &str, source: &Path, content: &Digest) -> Result<bool> {
        let (doing, key) = (format!("store {}", self.show(name)), self.key(name));
        let create = self.bucket.create_multipart_upload(self.credentials(), &key);
        let created = self.send_to(&doing, &create, Request::post(b""))?;
        let created = CreateMultipartUpload::parse_response(&created.text());
        let created = created.map_err(|_| self.client.unreadable(&doing))?;
        let upload = created.upload_id();
        let stored = self.put_each_part(&doing, &key, upload, source, content).and_then(|etags| match etags {
            Some(etags) => self.complete(&doing, name, upload, &etags, content).map(|()| true),
            None => Ok(false),
        });
        if !matches!(stored, Ok(true)) {
            // Abort the upload: its stored parts are billed until then.
            let abort = self.bucket.abort_multipart_upload(self.credentials(), &key, upload);
            let _ = self.client.send_once(&doing, Request::delete(), || abort.sign(SIGNED_FOR));
        }
        stored
    }

    /// Uploads all parts and returns their tags; `None` when the content of the file is not `content`.
    fn put_each_part(
        &self,
        doing: &str,
        key: &str,
        upload: &str,
        source: &Path,
        content: &Digest,
    ) -> Result<Option<Vec<String>>> {
        let failed = |error| super::directory::failed("cannot read", source)(error);
        let mut file = File::open(source).map_err(failed)?;
        let (mut hash, mut etags, mut left) = (Sha256::new(), Vec::new(), content.bytes);
        let part_bytes = PART_BYTES.max(content.bytes.div_ceil(MAX_PARTS));
        let mut part = Vec::new();
        while left > 0 {
            part.clear();
            Read::by_ref(&mut file).take(part_bytes.min(left)).read_to_end(&mut part).map_err(failed)?;
            if part.len() as u64 != part_bytes.min(left) {
                return Ok(None);
            }
            left -= part.len() as u64;
            hash.update(&part);
            let number = u16::try_from(etags.len() + 1).map_err(|error| Error::Other(error.into()))?;
            let action = self.bucket.upload_part(self.credentials(), key, number, upload);
            let answer = self.send_to(doing, &action, Request::put(&part, &client::checked(&part)))?;
            etags.push(answer.header("etag").ok_or_else(|| self.client.unreadable(doing))?.to_owned());
        }
        let is_longer = file.read(&mut [0]).map_err(failed)? > 0;
        let is_same = !is_longer && super::manifest::hex(&hash.finalize()) == content.sha256;
        Ok(is_same.then_some(etags))
    }

    fn complete(&self, doing: &str, name: &str, upload: &str, etags: &[String], content: &Digest) -> Result<()> {
        let key = self.key(name);
        let action = || {
            let etags = etags.iter().map(String::as_str);
            self.bucket.complete_multipart_upload(self.credentials(), &key, upload, etags)
        };
        let body = action().body();
        let answered = self.send(doing, &action(), Request::post(body.as_bytes()))?;
        let is_complete = !answered.is_missing() && CompleteMultipartUploadResponse::parse(&answered.text()).is_ok();
        // An earlier attempt may have completed the upload, with its response lost: then the upload does not exist any
        // more.
        if is_complete || self.is_there(name, content.bytes)? {
            return Ok(());
        }
        Err(self.client.refused(doing, &answered))
    }
}

/// Parses the URL of the store. Without TLS, everything sent could be read on the way.
fn endpoint_url(text: &str) -> Result<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let refused = |what: &str| Err(Error::Setting(format!("s3-endpoint {what}")));
    let Some(url) = url else { return refused("must be an address such as https://s3.example.com") };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return refused(
            "must have neither a password nor a query; credentials come from AWS_ACCESS_KEY_ID and \
                        AWS_SECRET_ACCESS_KEY",
        );
    }
    let is_loopback = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if url.scheme() == "http" && !is_loopback {
        say_stderr!(
            "muriel: backups are sent to {url} without encryption, so others on the network can read them; use https"
        );
    }
    Ok(url)
}

impl BackupStore for S3Store {
    fn show(&self, name: &str) -> String {
        let place = format!("s3://{}/{}", self.bucket.name(), self.key(name));
        place.trim_end_matches('/').to_owned()
    }

    fn lock(&self) -> Result<Box<dyn StoreLock + '_>> {
        Ok(Box::new(lease::Lease::take(self)?))
    }

    fn list(&self, folder: &str) -> Result<Vec<ListedFile>> {
        let (doing, prefix) = (format!("list {}", self.show(folder)), self.key(folder));
        let mut files = Vec::new();
        let mut token: Option<String> = None;
        loop {
            let mut action = self.bucket.list_objects_v2(self.credentials());
            action.with_prefix(prefix.clone());
            if let Some(token) = &token {
                action.with_continuation_token(token.clone());
            }
            let answer = self.send_to(&doing, &action, Request::get())?;
            let listed = ListObjectsV2::parse_response(&answer.text());
            let listed = listed.map_err(|_| self.client.unreadable(&doing))?;
            for object in listed.contents {
                let Some(name) = object.key.strip_prefix(&prefix) else { continue };
                if let Some(bytes) = object.size {
                    files.push(ListedFile { name: name.to_owned(), bytes });
                }
            }
            match listed.next_continuation_token {
                Some(next) if files.len() < MAX_LISTED && token.as_ref() != Some(&next) => token = Some(next),
                Some(_) => return Err(self.client.unreadable(&doing)),
                None => return Ok(files),
            }
        }
    }

    fn open<'s>(&'s self, name: &str, bytes: u64) -> Result<Box<dyn Read + 's>> {
        let download = Download { store: self, name: name.to_owned(), bytes, at: 0, part: Cursor::new(Vec::new()) };
        Ok(Box::new(download))
    }

    fn read_small(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>> {
        let (doing, key) = (format!("read {}", self.show(name)), self.key(name));
        let action = self.bucket.get_object(self.credentials(), &key);
        let answer = self.send(&doing, &action, Request::get().with_limit(max))?;
        Ok(if answer.is_missing() { None } else { Some(answer.body) })
    }

    fn put(&self, name: &str, source: &Path, content: &Digest) -> Result<bool> {
        if content.bytes > PART_BYTES {
            return self.put_parts(name, source, content);
        }
        let failed = |error| super::directory::failed("cannot read", source)(error);
        let mut bytes = Vec::new();
        File::open(source).map_err(failed)?.take(PART_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 != content.bytes || super::manifest::hex(&Sha256::digest(&bytes)) != content.sha256 {
            return Ok(false);
        }
        self.put_bytes(name, &bytes, FILE_TIMEOUT).map(|()| true)
    }

    fn put_small(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.put_bytes(name, bytes, lease::MANIFEST_TIMEOUT)
    }

    fn remove(&self, name: &str) -> Result<()> {
        let (doing, key) = (format!("remove {}", self.show(name)), self.key(name));
        let action = self.bucket.delete_object(self.credentials(), &key);
        self.send(&doing, &action, Request::delete()).map(drop)
    }
}

/// Download in parts, so that only a part that fails is requested again.
struct Download<'s> {
    store: &'s S3Store,
    name: String,
    /// Expected length. Any other length is an error.
    bytes: u64,
    at: u64,
    part: Cursor<Vec<u8>>,
}

impl Read for Download<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.part.position() == self.part.get_ref().len() as u64 && self.at < self.bytes {
            let next = self.next().map_err(|error| io::Error::other(crate::error::sentence(&error)))?;
            self.at += next.len() as u64;
            self.part = Cursor::new(next);
        }
        self.part.read(to)
    }
}

impl Download<'_> {
    fn next(&self) -> Result<Vec<u8>> {
        interrupt::check()?;
        let Self { store, name, bytes, at, .. } = self;
        let (doing, key) = (format!("read {}", store.show(name)), store.key(name));
        let length = PART_BYTES.min(bytes - at);
        let headers = [("range", format!("bytes={at}-{}", at + length - 1))];
        let action = store.bucket.get_object(store.credentials(), &key);
        let answer = store.send(&doing, &action, Request::get().with_headers(&headers).with_limit(length))?;
        if answer.is_missing() {
            return Err(Error::Refused("it is missing".to_owned()));
        }
        let total = answer.header("content-range").and_then(|range| range.rsplit('/').next()?.parse().ok());
        let total = total.unwrap_or(answer.body.len() as u64);
        if total != *bytes || answer.body.len() as u64 != length {
            return Err(Error::Refused(format!("it has {total} bytes, not {bytes}")));
        }
        Ok(answer.body)
    }
}
