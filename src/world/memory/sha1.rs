//! The digest of which ids that are derived from names are made (RFC 9562, version 5). It secures nothing: where something
//! must not be forged, this program uses SHA-256.

/// Bytes of a block.
const BLOCK: usize = 64;

/// The SHA-1 digest of bytes (FIPS 180-4).
pub(super) fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    // The length in bits ends the last block.
    while padded.len() % BLOCK != BLOCK - 8 {
        padded.push(0);
    }
    let bits = u64::try_from(bytes.len()).unwrap_or(u64::MAX).wrapping_mul(8);
    padded.extend(bits.to_be_bytes());
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.chunks_exact(BLOCK) {
        mix(&mut state, block);
    }
    let mut digest = [0; 20];
    for (byte, new) in digest.iter_mut().zip(state.iter().flat_map(|word| word.to_be_bytes())) {
        *byte = new;
    }
    digest
}

#[expect(clippy::many_single_char_names, reason = "the standard calls them so")]
fn mix(state: &mut [u32; 5], block: &[u8]) {
    let mut words = [0_u32; 16];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for round in 0..80 {
        let (choice, constant) = match round {
            0..20 => (b & c | !b & d, 0x5a82_7999),
            20..40 => (b ^ c ^ d, 0x6ed9_eba1),
            40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let [word, ..] = words;
        let sum = [choice, e, constant, word].into_iter().fold(a.rotate_left(5), u32::wrapping_add);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        let next = (words[13] ^ words[8] ^ words[2] ^ word).rotate_left(1);
        words.rotate_left(1);
        words[15] = next;
    }
    for (word, added) in state.iter_mut().zip([a, b, c, d, e]) {
        *word = word.wrapping_add(added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        sha1(bytes).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
    }

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(long), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hex(&vec![b'a'; 1_000_000]), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    }
}
