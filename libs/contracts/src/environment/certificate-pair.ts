import { createPrivateKey, X509Certificate } from 'node:crypto';

import type { PemFile } from './environment.js';
import type { VariableReader } from './variables.js';

/** A certificate that we show, and its key. */
export interface CertificatePair {
  readonly cert: PemFile | null;
  readonly key: PemFile | null;
}

/**
 * The files `PREFIX_CERT_FILE` and `PREFIX_KEY_FILE`, both or none. What does not belong together is an error of both: where
 * one of them is replaced before the other, neither is taken over.
 */
export function readCertificatePair(
  variables: VariableReader,
  prefix: 'KAFKA_SSL' | 'SCHEMA_REGISTRY' | 'WALLET',
): CertificatePair {
  const [certName, keyName] = [`${prefix}_CERT_FILE`, `${prefix}_KEY_FILE`];
  const [hasCert, hasKey] = [variables.text(certName) !== null, variables.text(keyName) !== null];
  const pair = { cert: variables.pem(certName, 'CERTIFICATE'), key: variables.pem(keyName, 'PRIVATE KEY') };
  if (hasCert !== hasKey) {
    variables.fail(hasCert ? keyName : certName, `${certName} and ${keyName} belong together`);
  }
  const problem = pair.cert === null || pair.key === null ? null : pairProblem(pair.cert.value, pair.key.value);
  if (problem !== null) for (const name of [certName, keyName]) variables.fail(name, problem);
  return pair;
}

/** OpenSSL shows the first certificate of a file; the others are the way to its authority. */
function pairProblem(cert: string, key: string): string | null {
  try {
    const isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return isPair ? null : 'the key is not that of the certificate';
  } catch {
    return 'certificate or key cannot be read: is the key encrypted?';
  }
}
