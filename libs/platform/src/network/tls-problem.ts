/** What keeps two sides from agreeing on TLS, by what somebody can do about it. */
export type TlsProblem =
  'expired' | 'not-yet-valid' | 'wrong-host' | 'unknown-authority' | 'without-tls' | 'our-certificate' | 'other';

const problems: readonly (readonly [TlsProblem, RegExp])[] = [
  ['expired', /^CERT_HAS_EXPIRED$/],
  ['not-yet-valid', /^CERT_NOT_YET_VALID$/],
  ['wrong-host', /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/],
  [
    'unknown-authority',
    // A signature that fails: an authority of the same name, with another key.
    /^(?:UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT.*)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)$/,
  ],
  ['without-tls', /^(?:SERVER_WITHOUT_TLS|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/],
  ['our-certificate', /^ERR_SSL_.*ALERT.*(?:CERTIFICATE|UNKNOWN_CA)/],
];

/** Tells TLS failures apart by Node's and OpenSSL's codes. */
export function tlsProblem(code: string): TlsProblem {
  return problems.find(([, pattern]) => pattern.test(code))?.[0] ?? 'other';
}
