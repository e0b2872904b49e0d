//! Bodies that are compressed when a compressed form is first needed, and then kept.

use bytes::Bytes;
use tokio::sync::OnceCell;

/// The largest body that is compressed with the highest quality of brotli. That makes it a twentieth smaller, and takes ten
/// times as long.
const BEST_QUALITY_MAX_BYTES: usize = 128 << 10;

/// A body and its compressed forms.
pub struct Encoded {
    /// The uncompressed body.
    pub plain: Bytes,
    pub(super) gzip: OnceCell<Bytes>,
    pub(super) brotli: OnceCell<Bytes>,
}

/// A compressed content coding of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
}

impl Encoded {
    /// A body without compressed forms yet.
    pub fn new(plain: Bytes) -> Self {
        Self { plain, gzip: OnceCell::new(), brotli: OnceCell::new() }
    }

    /// A body that is compressed with brotli already. It has to be: what cannot be expanded is an empty body.
    pub fn of_brotli(compressed: &'static [u8]) -> Self {
        let mut plain = Vec::new();
        if std::io::copy(&mut ::brotli::Decompressor::new(compressed, 4_096), &mut plain).is_err() {
            return Self::new(Bytes::new());
        }
        Self { brotli: OnceCell::new_with(Some(Bytes::from_static(compressed))), ..Self::new(plain.into()) }
    }

    /// The compressed body. It is compressed by the first call, for which concurrent calls wait.
    pub async fn compressed(&self, encoding: Encoding) -> Bytes {
        let (cell, compress) = match encoding {
            Encoding::Gzip => (&self.gzip, gzip as fn(&[u8]) -> Vec<u8>),
            Encoding::Brotli => (&self.brotli, brotli as _),
        };
        let compressed = cell.get_or_init(|| async {
            let plain = self.plain.clone();
            // A megabyte of code takes long enough to delay other requests of this thread.
            let compressed = tokio::task::spawn_blocking(move || compress(&plain)).await;
            compressed.map_or_else(|_| Bytes::new(), Bytes::from)
        });
        compressed.await.clone()
    }
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(7));
    // Writing to memory cannot fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default()
}

fn brotli(plain: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut out = Vec::new();
    let quality = if plain.len() <= BEST_QUALITY_MAX_BYTES { 11 } else { 9 };
    let mut writer = ::brotli::CompressorWriter::new(&mut out, 4_096, quality, 22);
    let _ = writer.write_all(plain);
    drop(writer);
    out
}
