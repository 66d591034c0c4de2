import { cardFacts, cardLinksOf, unmaskedName } from './card-facts.js';
import { asideText, lanePicture, type Member, type MemberIntent } from './lane-picture.js';
import { answerText, isCardAddress, knownRows, type PartnerView, passRows } from './pass-comparison.js';

const nowMs = Date.UTC(2026, 10, 27);
const at = (seconds: number): string => new Date(nowMs + seconds * 1_000).toISOString();

const intent = (seq: number, status: MemberIntent['status'], change: Partial<MemberIntent> = {}): MemberIntent => ({
  ...{ id: `tea~m1~${seq}`, program: 'tea', memberId: 'm1', seq, operation: 'transaction', status },
  ...{ reason: null, code: null, fingerprint: null, since: null, recordedAt: at(-9), occurredAt: at(-9) },
  ...{ eventType: 'loyalty.purchase.completed.v1', source: null, storeId: null, purchaseId: null, amount: null },
  ...{ attemptCount: 0, cause: { topic: 't', partition: 0, offset: seq } },
  ...change,
});

const member = (lane: Partial<Member['lane']>, intents: readonly MemberIntent[]): Member => ({
  ...{ program: 'tea', memberId: 'm1', generation: 1, createdAt: at(-99), isErased: false },
  ...{ pass: null, passKnown: 'unknown', setAside: { items: [], hasMore: false } },
  lane: { state: 'live', dueAt: null, isHeld: false, next: null, queued: 0, ...lane },
  // As the API lists them: the newest first.
  intents: intents.toReversed(),
});

const seqs = (intents: readonly MemberIntent[]): readonly number[] => intents.map(({ seq }) => seq);

describe('the picture of a lane', () => {
  it('is at rest where all is settled, and says what is not shown', () => {
    const picture = lanePicture(member({}, [intent(8, 'delivered'), intent(9, 'cancelled')]), nowMs);
    expect(seqs(picture.settled)).toEqual([8, 9]);
    expect(picture).toMatchObject({ older: 7, holdup: null, alsoWaiting: 0, underWay: [], waiting: [] });
  });

  it('shows what is delivered, under way and waiting, in the order of the queue', () => {
    const intents = [intent(1, 'delivered'), intent(2, 'delivering'), intent(3, 'pending'), intent(4, 'pending')];
    const picture = lanePicture(member({ next: 'tea~m1~2', queued: 5, isHeld: true }, intents), nowMs);
    expect([picture.settled, picture.underWay, picture.waiting].map(seqs)).toEqual([[1], [2], [3, 4]]);
    expect(picture.alsoWaiting).toBe(2);
    expect(picture.holdup).toMatchObject({ tone: 'busy', title: 'Purchase 2 is being sent' });
  });

  it('shows what blocks it at the head of the queue, and what is merely parked aside', () => {
    const intents = [intent(1, 'parked'), intent(2, 'parked', { reason: 'rejected' }), intent(3, 'pending')];
    const picture = lanePicture(member({ state: 'blocked', next: 'tea~m1~2', queued: 2 }, intents), nowMs);
    expect([picture.aside, picture.waiting].map(seqs)).toEqual([[1], [2, 3]]);
    expect(picture.holdup).toMatchObject({
      ...{ tone: 'stuck', intent: 'tea~m1~2', title: 'Purchase 2 is parked and blocks the queue' },
      meaning: expect.stringContaining('Parked: rejected.') as string,
    });
  });

  it('is never simply at rest while something is parked beside it', () => {
    const [parked, delivered] = [intent(2, 'parked', { reason: 'rejected' }), intent(3, 'delivered')];
    const rest = lanePicture(member({}, [parked, delivered]), nowMs);
    expect(rest.holdup).toBeNull();
    expect(asideText(rest)).toMatchObject({
      title: '1 intent is parked beside the queue, and needs a person',
      meaning: expect.stringMatching(/^Nothing else is left to send/) as string,
    });
    const moving = lanePicture(member({ next: 'tea~m1~4', queued: 1 }, [parked, intent(4, 'pending')]), nowMs);
    expect(asideText(moving)?.meaning).toMatch(/^The queue goes on/);
    expect(asideText(lanePicture(member({}, [delivered]), nowMs))).toBeNull();
  });

  it.each<[string, { lane: Partial<Member['lane']>; first: MemberIntent }, object]>([
    [
      'waits for a pass',
      { lane: { state: 'waiting', dueAt: at(90) }, first: intent(1, 'waiting', { reason: 'pass' }) },
      {
        tone: 'waits',
        meaning:
          'It waits for the member’s pass: no enrolment has brought one yet. It is looked at again in 1 min 30 s.',
      },
    ],
    [
      'waits for a purchase',
      { lane: { state: 'waiting' }, first: intent(1, 'waiting', { reason: 'purchase' }) },
      { tone: 'waits', meaning: 'It waits for the purchase that it goes after.' },
    ],
    [
      'is unknown',
      { lane: { dueAt: at(0) }, first: intent(1, 'unknown', { code: 'timeout' }) },
      {
        tone: 'waits',
        meaning: 'It was sent (timeout), and evidence is looked for. What comes later waits for it. It is due now.',
      },
    ],
    [
      'is unknown and paused: nobody looks for evidence then',
      { lane: { dueAt: at(400 * 86_400) }, first: intent(1, 'unknown', { code: 'timeout' }) },
      {
        tone: 'waits',
        meaning:
          'It was sent (timeout), and no evidence is looked for. What comes later waits for it. It is paused: it rests until somebody resumes the operation or the program.',
      },
    ],
    [
      'is tried again later',
      { lane: { dueAt: at(20) }, first: intent(1, 'pending') },
      {
        tone: 'waits',
        meaning: 'The last attempt did not take effect, or the program rests. It is looked at again in 20 s.',
      },
    ],
    [
      'is paused',
      { lane: { dueAt: '3000-01-01T00:00:00.004Z' }, first: intent(1, 'pending') },
      {
        title: 'Purchase 1 is paused',
        meaning: 'It rests until somebody resumes its operation or its program: see Pauses.',
      },
    ],
    [
      'goes next',
      { lane: { dueAt: at(-1) }, first: intent(1, 'pending') },
      { tone: 'busy', meaning: 'It goes when its turn comes.' },
    ],
  ])('says why the first one %s', (_what, { lane, first }, said) => {
    const { holdup } = lanePicture(member({ next: first.id, queued: 1, ...lane }, [first]), nowMs);
    expect(holdup).toMatchObject(said);
  });

  it('says it of one that is older than what is shown', () => {
    const picture = lanePicture(
      member({ state: 'blocked', next: 'tea~m1~1', queued: 60 }, [intent(11, 'pending')]),
      nowMs,
    );
    expect(picture).toMatchObject({ older: 10, alsoWaiting: 59 });
    expect(picture.holdup?.title).toBe('The next one is parked and blocks the queue');
  });
});

const partnerView = (change: Partial<PartnerView>): PartnerView => ({
  ...{ program: 'tea', memberId: 'm1', at: at(0) },
  ours: { passKnown: 'known', pass: null, isAtRest: true, open: [] },
  partner: { result: 'found', code: null, status: 200, listed: null, pass: null, durationMs: 12 },
  differences: [],
  ...change,
});

const pass = {
  ...{ passId: 7, serialNumber: 's-1', statusCode: 'ACTIVE' },
  ...{ downloadUrl: '•••', downloadUrlApple: null, downloadUrlGoogle: '•••' },
};

describe('our pass beside the partner’s', () => {
  const found = { result: 'found', code: null, status: 200, listed: null, durationMs: 1 } as const;

  it('marks what differs, and shows that first', () => {
    const view = partnerView({
      ours: { passKnown: 'known', pass, isAtRest: true, open: [] },
      partner: { ...found, pass: { passId: 7, serialNumber: 's-2', passdata: { points: 120 } } },
      differences: [{ path: 'passdata.points', ours: 100, partner: 120 }],
    });
    expect(passRows(view).map(({ path, mark }) => `${path} ${mark}`)).toEqual([
      ...['passdata.points differs', 'serialNumber differs', 'passId same', 'downloadUrl one-side'],
      ...['downloadUrlGoogle one-side', 'statusCode one-side'],
    ]);
    expect(passRows(view)[0]).toMatchObject({ ours: '100', partner: '120' });
    expect(answerText(view)).toBe('The partner’s pass differs in 1 of the values that were sent.');
  });

  it('says of no masked value that it is the same', () => {
    const view = partnerView({
      ours: { passKnown: 'known', pass, isAtRest: true, open: [] },
      partner: { ...found, pass: { downloadUrl: '•••', serialNumber: 's-1' } },
    });
    expect(passRows(view).map(({ path, mark }) => `${path} ${mark}`)).toEqual(
      expect.arrayContaining(['serialNumber same', 'downloadUrl one-side']),
    );
  });

  it('shows ours before the partner was asked', () => {
    expect(knownRows(pass)[2]).toEqual({ path: 'passId', ours: '7', partner: null, mark: 'one-side' });
    expect(knownRows(null)).toEqual([]);
    expect(['downloadUrlApple', 'passId'].map(isCardAddress)).toEqual([true, false]);
  });

  it('marks what is still to be sent', () => {
    const wants = [{ path: 'templateTierId', ours: 3, partner: 2, isThere: false }];
    const open = [
      { intent: 'tea~m1~2', operation: 'update-via-workflow', status: 'pending', wants, proof: null },
    ] as const;
    const view = partnerView({
      ours: { passKnown: 'known', pass: null, isAtRest: false, open },
      partner: { ...found, pass: { templateTierId: 2 } },
    });
    expect(passRows(view)).toEqual([{ path: 'templateTierId', ours: '3', partner: '2', mark: 'open' }]);
  });

  it.each<[Partial<PartnerView['partner']>, string]>([
    [
      { result: 'failed', code: 'timeout' },
      'The partner could not say: timeout. Nothing is known beyond what we have.',
    ],
    [{ result: 'absent', listed: 0 }, 'The partner has no pass of this member. Its listing counts 0.'],
    [{ result: 'found' }, 'The partner’s pass is as it was sent last.'],
  ])('says what came: %j', (partner, text) => {
    expect(answerText(partnerView({ partner: { ...partnerView({}).partner, ...partner } }))).toBe(text);
  });
});

describe('the card', () => {
  it('has what the partner said last, and no address before it was asked for', () => {
    const seen = { ...member({}, []), pass, passKnown: 'known' as const };
    expect(cardFacts(seen, null, null)).toMatchObject({
      points: null,
      status: 'ACTIVE',
      serialNumber: 's-1',
      absence: null,
    });
    expect(cardFacts(seen, null, null).hasLinks).toBe(true);
    expect(cardFacts(member({}, []), null, null).hasLinks).toBe(false);
    expect(
      cardFacts({ ...seen, pass: { ...pass, downloadUrl: null, downloadUrlGoogle: null } }, null, null),
    ).toMatchObject({ hasLinks: false, absence: null });
    const asked = partnerView({
      partner: { ...partnerView({}).partner, pass: { passdata: { points: 120 }, templateTierId: 3 } },
    });
    expect(cardFacts(seen, asked, 'Ada')).toMatchObject({ points: '120', tier: '3', name: 'Ada' });
  });

  it('has addresses of the web alone, of those that were asked for', () => {
    const given = { program: 'tea', memberId: 'm1', downloadUrl: 'https://cards.example/7', downloadUrlApple: null };
    for (const odd of ['javascript:alert(1)', '•••']) {
      expect(cardLinksOf({ ...given, downloadUrlGoogle: odd })).toEqual([
        { name: 'Card', url: 'https://cards.example/7' },
      ]);
    }
  });

  it('says why there is none', () => {
    expect(cardFacts(member({}, []), null, null).absence).toBe('Whether the member has a card is not known yet.');
    expect(cardFacts({ ...member({}, []), isErased: true }, null, null).absence).toMatch(/^The person was erased/);
  });

  it('has the name that the newest intent gives', () => {
    const named = { command: { content: { person: { firstName: 'Ada', lastName: 'Byron' } } } };
    expect(unmaskedName([{ command: null }, { command: { content: {} } }, named])).toBe('Ada Byron');
    expect(unmaskedName([])).toBeNull();
  });
});
