//! The geographic location of an address, from a file in MaxMind's format.
//!
//! Files of MaxMind (GeoLite2 and GeoIP2, City and Country) and of DB-IP are supported, as well as flat
//! records that other tools write. The whole file is read into memory, and never written.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use maxminddb::{MaxMindDbError, Reader, WithinOptions};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use tracing::{info, warn};

/// At least one of this many networks must have a country. A file about another subject,
/// such as internet providers, opens without an error as well.
const PROBED: usize = 10_000;

/// The location of an address, by the English names that targeting uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeoLocation {
    /// ISO 3166-1 alpha-2 code, in capitals.
    pub country: Option<Arc<str>>,
    /// The largest subdivision of the country that the file knows, such as `California (US)`.
    pub region: Option<Arc<str>>,
    /// The city and its region, such as `Berlin (Berlin)`, or its country if that has no
    /// regions: `Singapore (Singapore)`.
    pub city: Option<Arc<str>>,
}

/// A geographic file, or none. Clones share it.
#[derive(Clone, Default)]
pub struct Geography(Option<Arc<File>>);

struct File {
    path: PathBuf,
    reader: RwLock<Arc<Reader<Vec<u8>>>>,
    /// Version of the file that was read last, whether or not it was usable.
    seen: Mutex<Option<FileVersion>>,
}

/// Identifies a version of the file; it changes when the file is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileVersion {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl FileVersion {
    fn of(path: &Path) -> io::Result<FileVersion> {
        let metadata = std::fs::metadata(path)?;
        Ok(FileVersion { modified: metadata.modified().ok(), bytes: metadata.len() })
    }
}

/// Reason why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadGeography {
    /// The file cannot be read.
    #[error("cannot read the geographic file {}", .path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file is not in MaxMind's format, or is damaged.
    #[error("{} is not a file in MaxMind's format", .path.display())]
    Broken {
        /// Path of the file.
        path: PathBuf,
        /// The fault of the content.
        source: MaxMindDbError,
    },
    /// The file has no countries, so it is about another subject.
    #[error("{} ({kind}) has no countries", .path.display())]
    Placeless {
        /// Path of the file.
        path: PathBuf,
        /// Type according to the file's metadata.
        kind: String,
    },
}

/// The result of a [`refresh`](Geography::refresh).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// The file has not changed, or there is no file.
    Unchanged,
    /// A new file is in use.
    Loaded,
    /// The new file cannot be used. The old one stays in use.
    Rejected,
}

impl Geography {
    /// Creates geography without a file: no location is known.
    pub fn off() -> Geography {
        Geography(None)
    }

    /// Reads a file. Takes as much memory as the file is long.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged or has no countries.
    pub fn open(path: impl Into<PathBuf>) -> Result<Geography, BadGeography> {
        let path = path.into();
        // Taken before the content is read, so that the next refresh detects a change in between.
        let seen = FileVersion::of(&path).ok();
        let reader = read(&path)?;
        Ok(Geography(Some(Arc::new(File { path, reader: RwLock::new(Arc::new(reader)), seen: Mutex::new(seen) }))))
    }

    /// Returns whether there is a file.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether the file has regions and cities. The type of a file with countries only says so,
    /// such as `GeoLite2-Country`.
    pub fn has_regions(&self) -> bool {
        self.0.as_ref().is_some_and(|file| {
            let reader = file.reader.read().unwrap_or_else(PoisonError::into_inner);
            !reader.metadata().database_type.to_ascii_lowercase().contains("country")
        })
    }

    /// Returns the location of an address. `None` if the file has none, as for private addresses.
    pub fn location(&self, address: IpAddr) -> Option<GeoLocation> {
        let file = self.0.as_ref()?;
        let reader = Arc::clone(&file.reader.read().unwrap_or_else(PoisonError::into_inner));
        // An IPv6 address in a file of IPv4 addresses is an error, too.
        reader.lookup(address.to_canonical()).ok()?.decode::<GeoRecord<'_>>().ok()??.location()
    }

    /// Reads the file again if it was replaced, while lookups continue with the old one.
    /// Blocks while it reads. An unusable file is logged once.
    pub fn refresh(&self) -> Refresh {
        let Some(file) = &self.0 else { return Refresh::Unchanged };
        let mut seen = file.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = FileVersion::of(&file.path).ok();
        if now == *seen {
            return Refresh::Unchanged;
        }
        *seen = now;
        match read(&file.path) {
            Ok(reader) => {
                info!(file = %file.path.display(), built = reader.metadata().build_epoch, "new geographic file in use");
                *file.reader.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(reader);
                Refresh::Loaded
            }
            Err(error) => {
                warn!(error = &error as &dyn std::error::Error, "the old geographic file stays in use");
                Refresh::Rejected
            }
        }
    }
}

impl fmt::Debug for Geography {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Geography").field(&self.0.as_ref().map(|file| &file.path)).finish()
    }
}

fn read(path: &Path) -> Result<Reader<Vec<u8>>, BadGeography> {
    let path_buf = || path.to_owned();
    let bytes = std::fs::read(path).map_err(|source| BadGeography::Unreadable { path: path_buf(), source })?;
    let broken = |source| BadGeography::Broken { path: path_buf(), source };
    let reader = Reader::from_source(bytes).map_err(broken)?;
    for network in reader.networks(WithinOptions::default()).map_err(broken)?.take(PROBED) {
        let record = network.and_then(|network| network.decode::<GeoRecord<'_>>()).map_err(broken)?;
        if record.and_then(|record| record.location()).is_some_and(|location| location.country.is_some()) {
            return Ok(reader);
        }
    }
    Err(BadGeography::Placeless { path: path_buf(), kind: reader.metadata().database_type.clone() })
}

/// Removes the district that DB-IP adds to a city, as in `Hanover (Mitte)`. Targeting knows whole cities only.
fn without_district(city: &str) -> &str {
    match city.strip_suffix(')').and_then(|city| city.rsplit_once(" (")) {
        Some((city, _)) => city,
        None => city,
    }
}

/// The required fields of a record. MaxMind and DB-IP nest names by language; flat
/// records have plain texts.
#[derive(Deserialize)]
struct GeoRecord<'a> {
    #[serde(borrow, default)]
    country: NamedArea<'a>,
    country_code: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "first")]
    subdivisions: NamedArea<'a>,
    state1: Option<&'a str>,
    #[serde(borrow, default)]
    city: NamedArea<'a>,
}

impl GeoRecord<'_> {
    fn location(&self) -> Option<GeoLocation> {
        // A flat record may have the code in the field where others have the whole country.
        let code = self.country.code.or(self.country_code).or(self.country.name);
        let country = code.filter(|code| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic()));
        let country = country.map(str::to_ascii_uppercase);
        let region = self.subdivisions.name.or(self.state1).filter(|name| !name.is_empty());
        let city = self.city.name.map(without_district).filter(|name| !name.is_empty());
        let inside = |name: &str, whole: Option<&str>| match whole {
            Some(whole) => Arc::from(format!("{name} ({whole})")),
            None => Arc::from(name),
        };
        let location = GeoLocation {
            region: region.map(|name| inside(name, country.as_deref())),
            city: city.map(|name| inside(name, region.or(self.country.name).or(country.as_deref()))),
            country: country.map(Arc::from),
        };
        (location.country.is_some() || location.region.is_some() || location.city.is_some()).then_some(location)
    }
}

/// A country, subdivision or city: `{"names": {"en": name}, "iso_code": code}`, or the
/// name alone.
#[derive(Default)]
struct NamedArea<'a> {
    name: Option<&'a str>,
    code: Option<&'a str>,
}

impl<'de: 'a, 'a> Deserialize<'de> for NamedArea<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "snake_case")]
        enum Field {
            Names,
            IsoCode,
            #[serde(other)]
            Other,
        }

        #[derive(Default, Deserialize)]
        struct Names<'a> {
            en: Option<&'a str>,
        }

        struct NameOrMap;

        impl<'de> Visitor<'de> for NameOrMap {
            type Value = NamedArea<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name, or a map with names by language")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<NamedArea<'de>, E> {
                Ok(NamedArea { name: Some(name), code: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NamedArea<'de>, A::Error> {
                let mut named = NamedArea::default();
                while let Some(field) = map.next_key()? {
                    match field {
                        Field::Names => named.name = map.next_value::<Names<'de>>()?.en,
                        Field::IsoCode => named.code = map.next_value()?,
                        Field::Other => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(named)
            }
        }

        deserializer.deserialize_any(NameOrMap)
    }
}

/// Reads the first element of a list. Subdivisions are sorted from the largest to the smallest.
fn first<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NamedArea<'de>, D::Error> {
    struct FirstOfList;

    impl<'de> Visitor<'de> for FirstOfList {
        type Value = NamedArea<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<NamedArea<'de>, A::Error> {
            let first = list.next_element()?.unwrap_or_default();
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(first)
        }
    }

    deserializer.deserialize_seq(FirstOfList)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Path of a file of `scripts/geo-test-data`.
    pub(in crate::visitor) fn file(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/data/geography/{name}.mmdb"))
    }

    /// `expect`: country, region and city, with `-` for none, or an empty text for no location.
    fn check(geography: &Geography, address: &str, expect: &str) {
        let location = geography.location(address.parse().unwrap());
        let shown = location.map_or(String::new(), |location| {
            [location.country, location.region, location.city]
                .map(|part| part.as_deref().unwrap_or("-").to_owned())
                .join(" | ")
        });
        assert_eq!(shown, expect, "{address} in {geography:?}");
    }

    #[test]
    fn places_are_named_as_targeting_names_them() {
        let city = Geography::open(file("city")).unwrap();
        for (address, expect) in [
            ("192.0.2.1", "DE | Berlin (DE) | Berlin (Berlin)"),
            ("::ffff:192.0.2.1", "DE | Berlin (DE) | Berlin (Berlin)"),
            ("192.0.2.200", "DE | Bavaria (DE) | Munich (Bavaria)"),
            ("198.51.100.1", "US | California (US) | San Francisco (California)"),
            ("198.51.100.130", "US | California (US) | -"),
            ("198.51.100.200", "US | - | -"),
            // England takes precedence over Oxfordshire.
            ("203.0.113.1", "GB | England (GB) | Oxford (England)"),
            ("203.0.113.70", "SG | - | Singapore (Singapore)"),
            // Only the owner's country is known, which need not be the location.
            ("203.0.113.130", ""),
            ("2001:db8:1::1", "FR | Île-de-France (FR) | Paris (Île-de-France)"),
            // The file has no English name.
            ("2001:db8:2::1", "JP | - | -"),
            ("2001:db8:ffff::1", ""),
            ("10.0.0.1", ""),
            ("::1", ""),
        ] {
            check(&city, address, expect);
        }
    }

    #[test]
    fn other_layouts_are_read() {
        let country = Geography::open(file("country")).unwrap();
        check(&country, "192.0.2.1", "DE | - | -");
        check(&country, "2001:db8:1::1", "FR | - | -");
        let dbip = Geography::open(file("dbip")).unwrap();
        check(&dbip, "198.51.100.1", "US | California (US) | San Francisco (California)");
        check(&dbip, "192.0.2.1", "DE | Lower Saxony (DE) | Hanover (Lower Saxony)");
        let flat = Geography::open(file("flat")).unwrap();
        check(&flat, "192.0.2.1", "DE | Berlin (DE) | Berlin (Berlin)");
        check(&flat, "198.51.100.1", "US | - | -");
        check(&flat, "203.0.113.1", "GB | - | -");
        // The file has no IPv6 addresses.
        check(&flat, "2001:db8:1::1", "");
    }

    #[test]
    fn without_a_file_nothing_is_known() {
        check(&Geography::off(), "192.0.2.1", "");
        assert_eq!(Geography::off().refresh(), Refresh::Unchanged);
    }

    #[test]
    fn what_is_no_geographic_file_is_refused() {
        let say = |path: PathBuf| match Geography::open(path) {
            Ok(_) => panic!("opened"),
            Err(error) => error.to_string().replace('\\', "/").rsplit('/').next().unwrap_or_default().to_owned(),
        };
        assert_eq!(say(file("none")), "none.mmdb");
        assert_eq!(
            say(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")),
            "Cargo.toml is not a file in MaxMind's format"
        );
        assert_eq!(say(file("provider")), "provider.mmdb (Test-ASN) has no countries");
    }

    #[test]
    fn another_file_is_taken_over_and_a_broken_one_is_not() {
        let directory = std::env::temp_dir().join(format!("muriel-geography-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&directory).unwrap();
        let path = directory.join("places.mmdb");
        // Written next to it and renamed, as recommended.
        let put = |bytes: &[u8]| {
            let fresh = directory.join("fresh");
            std::fs::write(&fresh, bytes).unwrap();
            std::fs::rename(&fresh, &path).unwrap();
        };
        put(&std::fs::read(file("country")).unwrap());
        let geography = Geography::open(&path).unwrap();
        check(&geography, "198.51.100.1", "US | - | -");
        assert_eq!(geography.refresh(), Refresh::Unchanged);

        let city = std::fs::read(file("city")).unwrap();
        put(&city);
        assert_eq!(geography.refresh(), Refresh::Loaded);
        check(&geography, "198.51.100.1", "US | California (US) | San Francisco (California)");
        assert_eq!(geography.refresh(), Refresh::Unchanged);

        put(&city[..city.len() / 2]);
        assert_eq!(geography.refresh(), Refresh::Rejected);
        assert_eq!(geography.refresh(), Refresh::Unchanged, "said once");
        check(&geography, "198.51.100.1", "US | California (US) | San Francisco (California)");

        std::fs::remove_file(&path).unwrap();
        assert_eq!(geography.refresh(), Refresh::Rejected);
        check(&geography, "192.0.2.1", "DE | Berlin (DE) | Berlin (Berlin)");

        put(&std::fs::read(file("flat")).unwrap());
        assert_eq!(geography.refresh(), Refresh::Loaded);
        check(&geography, "203.0.113.1", "GB | - | -");
        std::fs::remove_dir_all(&directory).unwrap();
    }

    /// A file with wrong bytes may give wrong locations or none, but must not cause a panic.
    #[test]
    fn no_wrong_byte_brings_the_server_down() {
        let city = std::fs::read(file("city")).unwrap();
        for at in 0..city.len() {
            for wrong in [0x00, 0xff, city[at] ^ 0x20] {
                let mut bytes = city.clone();
                bytes[at] = wrong;
                let Ok(reader) = Reader::from_source(bytes) else { continue };
                for address in ["192.0.2.1", "203.0.113.1", "2001:db8:1::1"] {
                    let address: IpAddr = address.parse().unwrap();
                    let _ = reader
                        .lookup(address)
                        .and_then(|found| Ok(found.decode::<GeoRecord<'_>>()?.map(|r| r.location())));
                }
            }
        }
    }
}
