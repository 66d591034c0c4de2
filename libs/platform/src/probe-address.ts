import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { errorCode } from './errors.js';

/** Why two sides cannot agree on TLS, by what an operator can do about it. */
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

export interface AddressProbe {
  readonly host: string;
  readonly port: number;
  /** Null: no TLS. */
  readonly tls: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'maxVersion' | 'rejectUnauthorized'> | null;
  readonly timeoutMs: number;
}

/**
 * How far a connection came. `stage` is where it ended: the name was not found, nobody took the connection, or TLS was
 * not agreed on. `code`: `timeout`, or Node's and OpenSSL's own, such as `ECONNREFUSED` and `CERT_HAS_EXPIRED`.
 */
export type AddressFinding =
  | {
      readonly kind: 'open';
      /** Epoch ms; null without TLS. */
      readonly certificateEndsAt: number | null;
    }
  | { readonly kind: 'closed'; readonly stage: 'name' | 'connection' | 'tls'; readonly code: string };

type Stage = Extract<AddressFinding, { kind: 'closed' }>['stage'];

const nameCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']);

/** Names why a connection was not made. The `stage` is where it was then. */
function closed(stage: Stage, error: unknown): AddressFinding {
  const code = errorCode(error) ?? 'failed';
  return { kind: 'closed', stage: nameCodes.has(code) ? 'name' : stage, code };
}

class ProbedConnection {
  private stage: Stage = 'connection';
  private socket: Socket | TLSSocket | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly probe: AddressProbe) {}

  find(): Promise<AddressFinding> {
    return new Promise<AddressFinding>((resolve) => {
      const { host, port, timeoutMs } = this.probe;
      this.timer = setTimeout(() => {
        resolve({ kind: 'closed', stage: this.stage, code: 'timeout' });
      }, timeoutMs);
      const socket = connectTcp({ host, port });
      this.socket = socket;
      // For good: destroyed in the middle of a handshake, it may complain once more.
      socket.on('error', (error) => {
        resolve(closed(this.stage, error));
      });
      socket.once('connect', () => {
        this.connected(socket, resolve);
      });
    }).finally(() => {
      clearTimeout(this.timer);
      this.socket?.destroy();
    });
  }

  private connected(socket: Socket, resolve: (finding: AddressFinding) => void): void {
    const { host, tls } = this.probe;
    if (tls === null) {
      resolve({ kind: 'open', certificateEndsAt: null });
      return;
    }
    this.stage = 'tls';
    // An address is no server name (RFC 6066 section 3); it is held against the certificate all the same.
    const secure = connectTls({ ...tls, socket, host, ...(isIP(host) === 0 && { servername: host }) });
    this.socket = secure;
    secure.on('error', (error) => {
      resolve(closed('tls', error));
    });
    secure.once('close', () => {
      resolve({ kind: 'closed', stage: 'tls', code: 'closed' });
    });
    secure.once('secureConnect', () => {
      const endsAt = Date.parse(secure.getPeerCertificate().valid_to);
      resolve({ kind: 'open', certificateEndsAt: Number.isNaN(endsAt) ? null : endsAt });
    });
  }
}

/** Opens a connection and closes it again, to tell at which step it fails. Sends nothing but TLS's greeting. */
export function probeAddress(probe: AddressProbe): Promise<AddressFinding> {
  return new ProbedConnection(probe).find();
}
