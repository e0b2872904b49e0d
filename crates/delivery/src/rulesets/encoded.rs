//! Bodies that are compressed on first use and then cached.

use bytes::Bytes;
use tokio::sync::OnceCell;

/// Largest body that is compressed with the highest quality of brotli. That makes it a twentieth
/// smaller, and takes ten times as long.
const BEST_QUALITY_MAX_BYTES: usize = 128 << 10;

/// A body and its compressed forms.
pub struct Encoded {
    /// Uncompressed body.
    pub plain: Bytes,
    pub(super) gzip: OnceCell<Bytes>,
    pub(super) brotli: OnceCell<Bytes>,
}

/// HTTP content coding of a compressed body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
}

impl Encoded {
    /// Creates a body without compressed forms.
    pub fn new(plain: Bytes) -> Self {
        Self { plain, gzip: OnceCell::new(), brotli: OnceCell::new() }
    }

    /// Creates a body from its brotli form. The body is empty if this cannot be decompressed.
    pub fn of_brotli(compressed: &'static [u8]) -> Self {
        let mut plain = Vec::new();
        if std::io::copy(&mut ::brotli::Decompressor::new(compressed, 4_096), &mut plain).is_err() {
            return Self::new(Bytes::new());
        }
        Self { brotli: OnceCell::new_with(Some(Bytes::from_static(compressed))), ..Self::new(plain.into()) }
    }

    /// Returns the compressed body. The first call compresses it, and concurrent calls wait for that.
    pub async fn compressed(&self, encoding: Encoding) -> Bytes {
        let (cell, compress) = match encoding {
            Encoding::Gzip => (&self.gzip, gzip as fn(&[u8]) -> Vec<u8>),
            Encoding::Brotli => (&self.brotli, brotli as _),
        };
        let compressed = cell.get_or_init(|| async {
            let plain = self.plain.clone();
            // Compressing a megabyte takes long enough to delay other requests of this thread.
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
