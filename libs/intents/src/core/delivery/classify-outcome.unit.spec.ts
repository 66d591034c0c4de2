import fc from 'fast-check';

import type { AttemptObservation, BodyKind, TransportErrorKind } from './classify-outcome.js';
import { classifyOutcome, isUnprovenCode, refusalFingerprint } from './classify-outcome.js';

const facts: AttemptObservation['facts'] = {
  isSuccessStatus: true,
  proofNeeded: 'documented',
  proofShown: 'documented',
  refusal: 'none',
  tooManyRequests: 'not-applied',
  isNotAppliedStatus: false,
  saysDuplicate: false,
  saysNoSuchPass: false,
};
const answered: AttemptObservation = {
  phase: 'answered',
  error: null,
  status: 200,
  retryAfterMs: null,
  body: 'complete-json-object',
  message: null,
  facts,
};
/** As the dialect has it where it says nothing else. */
const refusalWith = (status: number): AttemptObservation['facts']['refusal'] => {
  if ([400, 409, 422].includes(status)) return 'content';
  return [403, 404, 405, 415].includes(status) ? 'configuration' : 'none';
};
const answer = (status: number, message: string | null = null): AttemptObservation => ({
  ...answered,
  status,
  message,
  facts: { ...facts, refusal: refusalWith(status) },
});
const duplicate = { ...facts, saysDuplicate: true };
const noPass = { ...facts, saysNoSuchPass: true };

const ERRORS: TransportErrorKind[] = [
  'dns-failure',
  'connection-refused',
  'connect-timeout',
  'tls-failure',
  'connection-failed',
  'no-token',
  'unsendable',
  'aborted',
  'timeout',
  'reset',
  'truncated',
  'malformed',
  'response-too-large',
];
const BODIES: BodyKind[] = ['complete-json-object', 'other-json', 'empty', 'truncated', 'not-json'];

const anyObservation = fc.record({
  phase: fc.constantFrom('not-sent', 'sent', 'answered'),
  error: fc.option(fc.constantFrom(...ERRORS)),
  status: fc.option(fc.oneof(fc.constantFrom(200, 201, 400, 401, 404, 408, 409, 422, 429, 503), fc.nat(700))),
  retryAfterMs: fc.option(fc.nat()),
  body: fc.constantFrom(...BODIES),
  message: fc.option(fc.string()),
  facts: fc.record({
    isSuccessStatus: fc.boolean(),
    proofNeeded: fc.constantFrom('documented', 'object', 'any'),
    proofShown: fc.constantFrom('documented', 'foreign-pass', 'denied', 'none'),
    refusal: fc.constantFrom('content', 'configuration', 'none'),
    tooManyRequests: fc.constantFrom('not-applied', 'unknown'),
    isNotAppliedStatus: fc.boolean(),
    saysDuplicate: fc.boolean(),
    saysNoSuchPass: fc.boolean(),
  }),
}) satisfies fc.Arbitrary<AttemptObservation>;

describe('classifyOutcome: nothing reached the partner', () => {
  it.each([
    ['dns-failure', 'dns-failure', false],
    ['connection-refused', 'connection-refused', false],
    ['connect-timeout', 'connect-timeout', false],
    ['tls-failure', 'tls-failure', false],
    ['connection-failed', 'connection-failed', false],
    ['aborted', 'aborted-before-send', false],
    ['timeout', 'timeout-before-send', false],
    ['no-token', 'no-token', false],
    ['unsendable', 'unsendable', true],
    [null, 'not-sent', false],
  ] as const)('%s -> not-applied %s', (error, code, systemic) => {
    const seen = { ...answered, phase: 'not-sent', error, status: null, body: 'empty', retryAfterMs: 7 } as const;
    const expected = { kind: 'not-applied', code, answered: false, systemic, retryAfterMs: 7 };
    expect(classifyOutcome(seen)).toEqual(expected);
  });
});

describe('classifyOutcome: sent, no complete answer', () => {
  it.each(['timeout', 'reset', 'aborted', 'truncated', 'malformed', 'response-too-large'] as const)(
    '%s -> unknown',
    (error) => {
      const seen = { ...answered, phase: 'sent', error, status: null, body: 'truncated' } as const;
      expect(classifyOutcome(seen)).toEqual({ kind: 'unknown', code: error, retryAfterMs: null });
    },
  );

  it.each([200, 400, 401, 404, 429])('a cut answer with status %d -> unknown', (status) => {
    const seen = { ...answered, phase: 'sent', error: 'truncated', status, body: 'truncated' } as const;
    expect(classifyOutcome(seen)).toMatchObject({ kind: 'unknown', code: 'truncated' });
  });
});

describe('classifyOutcome: the partner answered', () => {
  const notApplied = (code: string, systemic = true, retryAfterMs: number | null = null) => ({
    kind: 'not-applied',
    code,
    answered: true,
    systemic,
    retryAfterMs,
  });

  const unknown = (code: string) => ({ kind: 'unknown', code, retryAfterMs: null });

  it.each([200, 201, 202, 204, 299])('%d, accepted by the dialect, with the documented proof -> applied', (status) => {
    expect(classifyOutcome(answer(status))).toEqual({ kind: 'applied' });
  });

  it('a 2xx which the dialect does not accept -> unknown, whatever it shows', () => {
    const seen = { ...answer(202), facts: { ...facts, isSuccessStatus: false } };
    expect(classifyOutcome(seen)).toEqual(unknown('http-202'));
  });

  it.each([
    ['documented', { body: 'complete-json-object', proofShown: 'documented' }, 'applied'],
    ['documented', { body: 'complete-json-object' }, 'unproven-200'],
    ['documented', { body: 'other-json' }, 'http-200-other-json'],
    ['documented', { body: 'empty' }, 'http-200-empty'],
    ['documented', { body: 'not-json' }, 'http-200-not-json'],
    ['documented', { body: 'truncated' }, 'truncated'],
    ['object', { body: 'complete-json-object', proofShown: 'documented' }, 'applied'],
    ['object', { body: 'complete-json-object' }, 'applied'],
    ['object', { body: 'other-json' }, 'http-200-other-json'],
    ['object', { body: 'empty' }, 'http-200-empty'],
    ['object', { body: 'not-json' }, 'http-200-not-json'],
    ['any', { body: 'complete-json-object' }, 'applied'],
    ['any', { body: 'other-json' }, 'applied'],
    ['any', { body: 'empty' }, 'applied'],
    ['any', { body: 'not-json' }, 'http-200-not-json'],
    ['any', { body: 'truncated' }, 'truncated'],
  ] as const)(
    '200, where the dialect asks for proof %s, with %j -> %s',
    (proofNeeded, { body, ...shown }, expected) => {
      const seen = { ...answered, body, facts: { ...facts, proofNeeded, proofShown: 'none' as const, ...shown } };
      expect(classifyOutcome(seen)).toEqual(expected === 'applied' ? { kind: 'applied' } : unknown(expected));
    },
  );

  it.each(['documented', 'object', 'any'] as const)(
    "another member's pass contradicts, where the dialect asks for proof %s, and with whatever 2xx",
    (proofNeeded) => {
      for (const isSuccessStatus of [true, false]) {
        const seen = {
          ...answer(202),
          facts: { ...facts, isSuccessStatus, proofNeeded, proofShown: 'foreign-pass' as const },
        };
        expect(classifyOutcome(seen)).toEqual(unknown('foreign-pass'));
      }
    },
  );

  it.each([
    ['unproven-200', true],
    ['unproven-201', true],
    ['foreign-pass', true],
    ['http-202', true],
    ['http-200-empty', true],
    ['http-200-not-json', true],
    ['http-302', false],
    ['http-503', false],
    ['truncated', false],
    ['timeout', false],
    ['worker-lost', false],
    ['forgotten', false],
  ])('%s is a yes that proved nothing: %s', (code, expected) => {
    expect(isUnprovenCode(code)).toBe(expected);
  });

  it.each([100, 301, 302, 307, 408, 500, 502, 503, 504, 599])('%d -> unknown', (status) => {
    const expected = { kind: 'unknown', code: `http-${status}`, retryAfterMs: null };
    expect(classifyOutcome(answer(status))).toEqual(expected);
    expect(classifyOutcome(answer(status, 'some message'))).toEqual(expected);
  });

  it('keeps Retry-After of a 503 but stays unknown', () => {
    const seen = { ...answer(503), retryAfterMs: 5000 };
    expect(classifyOutcome(seen)).toEqual({ kind: 'unknown', code: 'http-503', retryAfterMs: 5000 });
  });

  it('401 -> not-applied unauthorized, systemic', () => {
    expect(classifyOutcome(answer(401, 'whatever'))).toEqual(notApplied('unauthorized'));
  });

  it('429 -> not-applied with Retry-After, or unknown by dialect', () => {
    const seen = { ...answer(429, 'slow down'), retryAfterMs: 3000 };
    // Waiting for a limit must never exhaust an intent.
    expect(classifyOutcome(seen)).toEqual({ ...notApplied('too-many-requests', false, 3000), answered: false });
    const strict = { ...seen, facts: { ...facts, tooManyRequests: 'unknown' } } as const;
    expect(classifyOutcome(strict)).toEqual({ kind: 'unknown', code: 'http-429', retryAfterMs: 3000 });
  });

  it('a 5xx proves that nothing was done only where the dialect says so', () => {
    const told = { ...answer(503), retryAfterMs: 5_000, facts: { ...facts, isNotAppliedStatus: true } };
    expect(classifyOutcome(told)).toEqual(notApplied('http-503', false, 5_000));
    // Of another class it says nothing, and a cut answer never does.
    expect(classifyOutcome({ ...told, status: 408 }).kind).toBe('unknown');
    expect(classifyOutcome({ ...told, phase: 'sent', error: 'truncated' }).kind).toBe('unknown');
  });

  it.each([403, 404, 405, 415])('%d -> not-applied, systemic, with or without a message', (status) => {
    expect(classifyOutcome(answer(status))).toEqual(notApplied(`http-${status}`));
    expect(classifyOutcome(answer(status, 'no'))).toEqual(notApplied(`http-${status}`));
  });

  it.each([400, 402, 409, 410, 413, 422, 451])('%d with a page -> not-applied, systemic', (status) => {
    const seen = { ...answer(status), body: 'not-json' } as const;
    expect(classifyOutcome(seen)).toEqual(notApplied(`http-${status}`));
  });

  it.each([400, 409, 422])('%d with JSON of another shape -> rejected: it is this intent that is refused', (status) => {
    for (const body of ['complete-json-object', 'other-json'] as const) {
      const seen = { ...answer(status), body };
      expect(classifyOutcome(seen)).toEqual({ kind: 'rejected', code: 'refused', message: '' });
      expect(classifyOutcome({ ...seen, facts: { ...duplicate, refusal: 'content' } })).toMatchObject({
        code: 'refused',
      });
    }
  });

  it('a status means what the dialect says', () => {
    const gone = { ...answer(410, 'm'), facts: { ...facts, refusal: 'content' as const } };
    expect(classifyOutcome(gone)).toEqual({ kind: 'rejected', code: 'refused', message: 'm' });
    const broken = { ...answer(400, 'm'), facts: { ...facts, refusal: 'configuration' as const } };
    expect(classifyOutcome(broken)).toEqual(notApplied('http-400'));
  });

  it.each([402, 410, 413, 451])('%d with a message is not listed -> unknown', (status) => {
    expect(classifyOutcome(answer(status, 'no')).kind).toBe('unknown');
  });

  it.each([400, 409, 422])('%d with a message -> rejected', (status) => {
    const rejected = (code: string) => ({ kind: 'rejected', code, message: 'm' });
    const seen = answer(status, 'm');
    expect(classifyOutcome(seen)).toEqual(rejected('refused'));
    expect(classifyOutcome({ ...seen, facts: { ...duplicate, refusal: 'content' } })).toEqual(rejected('duplicate'));
    expect(classifyOutcome({ ...seen, facts: { ...noPass, refusal: 'content' } })).toEqual(rejected('no-such-pass'));
    const both = { ...seen, facts: { ...duplicate, refusal: 'content' as const, saysNoSuchPass: true } };
    expect(classifyOutcome(both)).toEqual(rejected('refused'));
  });

  it('404 whose message names the missing pass -> rejected no-such-pass, not a broken path', () => {
    const seen = { ...answer(404, 'm'), facts: noPass };
    expect(classifyOutcome(seen)).toEqual({ kind: 'rejected', code: 'no-such-pass', message: 'm' });
  });
});

describe('classifyOutcome: properties', () => {
  it('what was never sent is always not-applied and never counts as answered', () => {
    fc.assert(
      fc.property(anyObservation, (seen) => {
        const outcome = classifyOutcome({ ...seen, phase: 'not-sent' });
        expect(outcome).toMatchObject({ kind: 'not-applied', answered: false });
      }),
    );
  });

  it('what was sent without a complete answer is always unknown', () => {
    fc.assert(
      fc.property(anyObservation, (seen) => {
        expect(classifyOutcome({ ...seen, phase: 'sent' }).kind).toBe('unknown');
      }),
    );
  });

  it('a complete answer that the table does not list is unknown', () => {
    const listed = ({ status, facts: { isNotAppliedStatus } }: AttemptObservation): boolean => {
      if (status === null || status === 408) return false;
      if (status >= 500 && status < 600) return isNotAppliedStatus;
      return (status >= 200 && status < 300) || (status >= 400 && status < 500);
    };
    fc.assert(
      fc.property(anyObservation, (seen) => {
        fc.pre(!listed(seen));
        expect(classifyOutcome({ ...seen, phase: 'answered', error: null }).kind).toBe('unknown');
      }),
    );
  });

  const isYes = ({ phase, status }: AttemptObservation): boolean =>
    phase === 'answered' && status !== null && status >= 200 && status < 300;

  const isProven = ({ proofNeeded, proofShown }: AttemptObservation['facts']): boolean =>
    proofShown === 'documented' || (proofNeeded !== 'documented' && proofShown === 'none');

  it('applied needs an accepted 2xx, read completely, with the proof asked for; a refusal is never applied', () => {
    fc.assert(
      fc.property(anyObservation, (seen) => {
        const isWhole = seen.body !== 'not-json' && seen.body !== 'truncated';
        const mayApply = isYes(seen) && isWhole && seen.facts.isSuccessStatus && isProven(seen.facts);
        expect(mayApply || classifyOutcome(seen).kind !== 'applied').toBe(true);
      }),
    );
  });

  it('a complete 2xx is applied or unproven, and nothing else is unproven', () => {
    fc.assert(
      fc.property(anyObservation, (any) => {
        const seen = any.phase === 'answered' ? { ...any, error: null } : any;
        const outcome = classifyOutcome(seen);
        const isUnproven = outcome.kind === 'unknown' && isUnprovenCode(outcome.code);
        const isCompleteYes = isYes(seen) && seen.body !== 'truncated';
        expect(isUnproven).toBe(isCompleteYes && outcome.kind !== 'applied');
      }),
    );
  });
});

describe('the fingerprint of a refusal', () => {
  it.each([
    ['Template 11 is not active', 'template 12  is not ACTIVE'],
    ["Unknown store 'berlin-07'", 'Unknown store "paris 3"'],
    ['ada@example.org is not valid', 'bob@example.com is not valid'],
    ['no brand 1f0e9a3c-8a52-4a9e-9d2b-0a7c3c1d2e3f here', 'no brand 2f0e9a3c-8a52-4a9e-9d2b-0a7c3c1d2e30 here'],
    ['member m_81273 is blocked', 'member m_7 is blocked'],
  ])('is the same for %j and %j', (one, other) => {
    expect(refusalFingerprint('refused', one)).toBe(refusalFingerprint('refused', other));
  });

  it('regression: holds no word that was sent, quoted or not', () => {
    const sent = (firstName: string, lastName: string) => ({ content: { person: { firstName, lastName } } });
    const fingerprint = refusalFingerprint('refused', 'Ada van Loon is not known', sent('ada', 'Van Loon'));
    expect(fingerprint).toBe('refused: # # # is not known');
    expect(refusalFingerprint('refused', 'Bo de Wit is not known', sent('Bo', 'de Wit'))).toBe(fingerprint);
  });

  it('differs by wording and by code', () => {
    const fingerprints = [
      refusalFingerprint('refused', 'the program is closed'),
      refusalFingerprint('refused', 'the brand is closed'),
      refusalFingerprint('duplicate', 'the brand is closed'),
    ];
    expect(new Set(fingerprints).size).toBe(3);
  });

  it('is short, however long the message', () => {
    expect(refusalFingerprint('refused', 'x '.repeat(50_000)).length).toBeLessThan(250);
  });
});
