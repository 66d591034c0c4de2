import { accepted, StandInPartner } from '../stand-in/stand-in-partner.js';
import type { PartnerAnswer, PartnerRequest } from '../stand-in/stand-in-partner.js';
import { memberId, personal, secrets } from './planted-values.js';

/** All that it was told, which no decent partner says back. */
function echo({ method, path, headers, body }: PartnerRequest): string {
  return `${method} ${path} ${String(headers.authorization)} ${body} ${personal.firstName} ${personal.email}`;
}

function refusal(request: PartnerRequest, status: number, why = 'Duplicate'): PartnerAnswer {
  const headers = { 'x-echo': encodeURIComponent(echo(request)), 'retry-after': memberId('retry') };
  return { status, headers, body: JSON.stringify({ message: `${why}: ${echo(request)}` }) };
}

type Answering = (request: PartnerRequest) => PartnerAnswer | null;

/** Lookups by what they ask for; each is answered so once, and then as a partner should. */
const lookups: readonly (readonly [string, Answering])[] = [
  [`unique_id=${memberId('garbage')}`, (request) => refusal(request, 400, 'Sorry')],
];

/** Calls that change something, by what path or body names; likewise. */
const changes: readonly (readonly [string, Answering])[] = [
  // Issues.
  [memberId('refused'), (request) => refusal(request, 400, 'Not today')],
  [memberId('garbage'), (request) => ({ status: 200, body: `<html>${echo(request)}</html>` })],
  [memberId('timeout'), () => null],
  // Purchases of one member, each with another end.
  ['P-refused', (request) => refusal(request, 422)],
  ['P-broken', (request) => refusal(request, 500)],
  ['P-moved', (request) => ({ status: 302, headers: { location: `/${encodeURIComponent(echo(request))}` }, body: '' })],
  ['P-garbage', (request) => ({ status: 200, body: echo(request) })],
  ['P-half', (request) => ({ status: 200, body: `{"message":"${echo(request)}` })],
  ['P-timeout', () => null],
  ['P-odd', (request) => ({ status: 418, body: echo(request) })],
];

/** Whoever is asked for is there; more of it is odd than right. */
function foundPass({ path }: PartnerRequest): PartnerAnswer {
  const uniqueId = new URL(path, 'http://partner').searchParams.get('unique_id');
  const pass = {
    ...{ passId: 7, serialNumber: 'S-7', statusCode: 'ACTIVE', status: memberId('status'), points: personal.phone },
    person: { firstName: personal.firstName, email: personal.email },
    passdata: { metaData: { memberId: uniqueId, [personal.metaKey]: personal.metaValue } },
  };
  return { status: 200, body: JSON.stringify(pass) };
}

/** A partner that says back whatever it is told, secrets and all. Its first token request it refuses. */
export function openPlantedPartner(): Promise<StandInPartner> {
  const left = { GET: new Map(lookups), other: new Map(changes) };
  const takeAnswer = ({ method, path, body }: PartnerRequest): Answering | undefined => {
    const odd = method === 'GET' ? left.GET : left.other;
    const mark = [...odd.keys()].find((name) => `${path} ${body}`.includes(name));
    const answering = mark === undefined ? undefined : odd.get(mark);
    if (mark !== undefined) odd.delete(mark);
    return answering;
  };
  return StandInPartner.open({
    token: secrets.token,
    tokenRefusals: [(form) => ({ status: 401, body: JSON.stringify({ error: `unknown client ${form}` }) })],
    answer: (request) => {
      const answering = takeAnswer(request);
      if (answering !== undefined) return answering(request);
      return request.method === 'GET' ? foundPass(request) : accepted;
    },
  });
}
