/** What is used of it: the package brings no types. Lengths are checked there, and a wrong one throws. */
declare module 'sodium-native' {
  interface Sodium {
    /**
     * RFC 8439's construction with the 24 byte nonces of draft-irtf-cfrg-xchacha-03.
     * @param cipher as long as the message and 16 bytes more; may begin with the message itself
     */
    crypto_aead_xchacha20poly1305_ietf_encrypt(
      cipher: Uint8Array,
      message: Uint8Array,
      associated: Uint8Array,
      unused: null,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;
    /** @throws {Error} when it was not encrypted so */
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Uint8Array,
      unused: null,
      cipher: Uint8Array,
      associated: Uint8Array,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;
  }
  const sodium: Sodium;
  export default sodium;
}
