// Hashes a unit to a bucket: docs/assignment.md, Hashing.

// Created before the page's scripts run: a page may replace the global later.
const utf8 = new TextEncoder();

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

const scrambled = (block: number): number => Math.imul(rotated(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);

/**
 * MurmurHash3, x86, 32 bits, seed 0, of the UTF-8 bytes of a text: 0 to 2³² − 1. An unpaired surrogate counts as
 * U+FFFD.
 */
export function murmur3(text: string): number {
  const bytes = utf8.encode(text);
  let hash = 0;
  let block = 0;
  let at = 0;
  for (const byte of bytes) {
    // Shift counts are modulo 32, so this is the position within the block.
    block |= byte << (at * 8);
    if (++at % 4 === 0) {
      hash = Math.imul(rotated(hash ^ scrambled(block), 13), 5) + 0xe6546b64;
      block = 0;
    }
  }
  // The tail is shorter than a block; an empty tail scrambles to 0.
  hash ^= scrambled(block) ^ at;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The bucket of a text, 0 to 999,999. The product stays below 2⁵², which doubles hold exactly. */
export const bucket = (text: string): number => Math.floor((murmur3(text) * 1e6) / 2 ** 32);
