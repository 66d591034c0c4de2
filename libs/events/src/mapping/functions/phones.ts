import { MapRefusal } from '../map-error.js';
import type { Native } from '../native.js';
import type { Value } from '../values.js';
import { isMissing, textOf } from './arguments.js';

/** E.164: a number has at most 15 digits; national plans have no shorter ones than this with their code. */
const digitsMin = 8;
const digitsMax = 15;

/** Calling code, and what is dialled before a number within the country. Countries that keep their 0 have none. */
const plans: ReadonlyMap<string, readonly [code: string, trunk: string]> = new Map(
  (
    'AT 43 0,AU 61 0,BE 32 0,BG 359 0,BR 55 0,CA 1 1,CH 41 0,CY 357,CZ 420,DE 49 0,DK 45,EE 372,ES 34,FI 358 0,FR 33 0,' +
    'GB 44 0,GR 30,HR 385 0,IE 353 0,IN 91 0,IS 354,IT 39,JP 81 0,LI 423,LU 352,LV 371,MT 356,MX 52,NL 31 0,NO 47,' +
    'NZ 64 0,PL 48,PT 351,RO 40 0,RS 381 0,SE 46 0,SG 65,SI 386 0,SK 421 0,TR 90 0,UA 380 0,US 1 1,ZA 27 0'
  )
    .split(',')
    .map((line) => line.split(' '))
    .map(([country = '', code = '', trunk = '']) => [country, [code, trunk]]),
);

const countryRule = 'of that country no numbers are known here';

function whole(digits: string): string {
  if (!/^[1-9]\d*$/.test(digits) || digits.length < digitsMin || digits.length > digitsMax) {
    throw new MapRefusal(`$e164: a number has ${digitsMin} to ${digitsMax} digits behind its +`);
  }
  return `+${digits}`;
}

function knownCountry(country: string): string {
  if (!plans.has(country)) throw new MapRefusal(`$e164: ${countryRule}`);
  return country;
}

function ofCountry(digits: string, country: string): string {
  const [code = '', trunk = ''] = plans.get(country) ?? [];
  const abroad = code === '1' ? '011' : '00';
  if (digits.startsWith(abroad)) return whole(digits.slice(abroad.length));
  return whole(code + (trunk !== '' && digits.startsWith(trunk) ? digits.slice(trunk.length) : digits));
}

function e164Of(text: string, country: Value): string {
  const digits = text.replace(/[ \u00a0\-./()]/g, '');
  if (!/^\+?\d+$/.test(digits)) throw new MapRefusal('$e164: a number is digits, and a + before them');
  if (digits.startsWith('+')) {
    if (text.includes('(0)')) throw new MapRefusal('$e164: behind a + no (0) is dialled');
    return whole(digits.slice(1));
  }
  if (isMissing(country)) {
    throw new MapRefusal('$e164: without a + its country must be named, as in $e164(phone, "DE")');
  }
  return ofCountry(digits, knownCountry(textOf('e164', country)));
}

const e164: Native = {
  ...{ name: 'e164', takes: [1, 2], kind: 'other' },
  judge: ([, country]) => (country === undefined || plans.has(country) ? null : countryRule),
  run([value, country]) {
    if (isMissing(value) || value === '') return undefined;
    return e164Of(textOf('e164', value), country);
  },
};

export const phones: readonly Native[] = [e164];
