import { tokenOf } from '../api-client.js';

/** Values that must not come out of any hole. Made so that nothing else looks like them. */
export const secrets = {
  clientId: 'planted-client-0a1b2c',
  clientSecret: 'planted-client-secret-5e1f',
  token: 'planted-access-token-9d3e',
  databasePassword: 'planted-db-password-77aa',
  encryptionKey: Buffer.from('planted-key:abcdefghijklmnopqrst').toString('base64'),
  opsToken: tokenOf('admin'),
  wrongToken: 'planted-wrong-token-e0e0',
  saslPassword: 'planted-sasl-password-4c2d',
  proxyPassword: 'planted-proxy-password-6b6b',
  vaultToken: 'planted-vault-token-2c7d',
  otlpKey: 'planted-otlp-key-8f1e',
  partnerHeader: 'planted-partner-header-3d9a',
};

export const personal = {
  firstName: 'Zaphodia',
  lastName: 'Beeblewurst',
  email: 'zaphodia.b@planted.example',
  phone: '+4915199887766',
  birthDate: '1971-03-29',
  ipAddress: '203.0.113.77',
  message: 'planted greeting to her',
  metaKey: 'plantedmetakey',
  metaValue: 'planted-meta-7741',
  profileImage: 'https://planted.example/face.png',
  unknownField: 'planted-unknown-field',
  number: '4915199880011',
};

/** Whoever has one has the card. They leave by the outcomes topic, and by a request of their own. */
export const cardAddresses = { cardAddress: 'https://cards.planted.example/4711' };

/** What every member's id begins with: in the member table and in answers to operators, nowhere else. */
export const memberPrefix = 'm-planted';

export function memberId(name: string): string {
  return `${memberPrefix}-${name}`;
}

/** A place to look into. */
export interface Shown {
  readonly where: string;
  readonly text: string;
}

const alignments = [0, 1, 2];
const bitsPerByte = 8;
const bitsPerSign = 6;

/** Base64 of a value that stands somewhere within other bytes: without the signs that its neighbours share. */
function withinBase64(value: string): string[] {
  return alignments.map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)])
      .toString('base64')
      .replace(/=+$/, '');
    const from = Math.ceil((shift * bitsPerByte) / bitsPerSign);
    return text.slice(from, Math.floor(((shift + Buffer.byteLength(value)) * bitsPerByte) / bitsPerSign));
  });
}

/** How a value could look: as it is, in an address, as bytes in hex, Base64 or numbers. */
function disguises(value: string): string[] {
  const bytes = Buffer.from(value);
  return [value, encodeURIComponent(value), bytes.toString('hex'), [...bytes].join(','), ...withinBase64(value)];
}

/** `where: name` for every planted value that a text shows, in whatever disguise. */
export function findPlanted(places: readonly Shown[], values: Readonly<Record<string, string>>): string[] {
  const looks = Object.entries(values).flatMap(([name, value]) =>
    disguises(value).map((look) => ({ name, look: look.toLowerCase() })),
  );
  const found = places.flatMap(({ where, text }) => {
    const seen = text.toLowerCase();
    return looks.filter(({ look }) => seen.includes(look)).map(({ name }) => `${where}: ${name}`);
  });
  return [...new Set(found)];
}
