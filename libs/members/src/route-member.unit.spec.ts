import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE, type ProgramsFile } from '#contracts';
import { sampleEvent, routeSourceEvent } from '#events';
import { withUnsentOptOuts } from '#intents/core';
import type { PartnerCommand, RouteResult } from '#intents/core';

const enrolled = 'loyalty.member.enrolled.v1';
const updated = 'loyalty.member.updated.v1';
const optedOut = 'loyalty.member.opted-out.v1';
const merged = 'loyalty.member.merged.v1';
const reference = { brandId: '101', programId: '2001', uniqueId: 'm_81273', uniqueIdKey: 'memberId' };

function programs(...exchanges: readonly [string | RegExp, string][]): ProgramsFile {
  const text = exchanges.reduce((file, [from, to]) => file.replace(from, to), PROGRAMS_FILE_EXAMPLE);
  const parsed = parseProgramsFile(text);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

const given = programs();
const noUpdate = programs([/update: {4}\{.*/, 'update: { via: none }']);
const scheduled = programs(
  [/update: {4}\{.*/, 'update: { via: schedule }'],
  ['dialect: {}', 'dialect: { schedule: { changeProperty: changes } }'],
);
const quarantined = (reason: string, detail: string): object => ({
  kind: 'quarantine',
  reason,
  detail: expect.stringContaining(detail) as string,
});
const contentOf = (route: RouteResult): unknown => {
  const command = route.kind === 'routed' ? route.intents[0]?.command : undefined;
  return command && 'content' in command ? command.content : route;
};
const update = (data: Record<string, unknown>, file = given): RouteResult =>
  routeSourceEvent(sampleEvent(updated, { data }), file);

describe('an enrolment', () => {
  it('issues the pass with everything that is known', () => {
    expect(routeSourceEvent(sampleEvent(enrolled), given)).toEqual({
      kind: 'routed',
      cancels: [],
      intents: [
        {
          program: 'coffee-club',
          memberId: 'm_81273',
          operation: 'issue',
          command: {
            ...reference,
            operation: 'issue',
            content: {
              person: {
                firstName: 'Ada',
                lastName: 'L',
                email: 'ada@example.org',
                phone: '+4915112345678',
                birthday: '1990-02-01',
              },
              passdata: { points: 0, expiryDate: '2027-12-31', metaData: { shopify: '7741', memberId: 'm_81273' } },
              tierId: 1,
              message: 'Welcome',
              groupId: 'g-1',
              smsSubscription: 200,
              templateId: 11,
              ipAddress: '203.0.113.7',
            },
          },
          businessKey: { scope: 'enrolment', parts: ['m_81273'], perGeneration: true },
          businessContent: expect.stringContaining('"email":"ada@example.org"') as string,
          waitsFor: null,
          parked: null,
          facts: {},
        },
      ],
    });
  });

  it('goes through the workflow where the program says so', () => {
    const workflow = programs(['enrolment: { via: issue }', 'enrolment: { via: workflow, workflowId: "77" }']);
    expect(routeSourceEvent(sampleEvent(enrolled), workflow)).toMatchObject({
      intents: [{ operation: 'issue-via-workflow', command: { operation: 'issue-via-workflow', workflowId: '77' } }],
    });
  });

  it('sends what is unknown or null not at all', () => {
    const bare = {
      person: { email: null, nickname: 'A' },
      pass: { metaData: { a: 1 }, colour: 'red' },
      metaData: null,
    };
    const nothing = { tier: null, groupId: null, message: undefined, smsSubscription: null, ipAddress: null };
    const route = routeSourceEvent(
      sampleEvent(enrolled, { data: { ...bare, ...nothing } }),
      programs([/ {4}templateId: 11\n/, '']),
    );
    expect(contentOf(route)).toEqual({ person: {}, passdata: { metaData: { memberId: 'm_81273' } } });
  });

  it('regression: sends no empty text, which would blank what a pass had', () => {
    const bare = { person: { email: '', firstName: 'Ada' }, pass: { seat: '' }, metaData: null };
    const data = { ...bare, tier: null, groupId: '', message: '', smsSubscription: null, ipAddress: '' };
    const route = routeSourceEvent(sampleEvent(enrolled, { data }), programs([/ {4}templateId: 11\n/, '']));
    expect(contentOf(route)).toEqual({
      person: { firstName: 'Ada' },
      passdata: { metaData: { memberId: 'm_81273' } },
    });
  });

  it.each([
    ['promotional', 200],
    ['transactional', 300],
    ['opted-out', 900],
  ])('%s is %d', (word, number) => {
    const route = routeSourceEvent(sampleEvent(enrolled, { data: { smsSubscription: word } }), given);
    expect(contentOf(route)).toMatchObject({ smsSubscription: number });
  });

  it('is invalid when its metaData uses the key of the member id for something else', () => {
    const clash = sampleEvent(enrolled, { data: { metaData: { memberId: 'x' } } });
    expect(routeSourceEvent(clash, given)).toEqual(quarantined('invalid', 'data.metaData.memberId'));
    const same = sampleEvent(enrolled, { data: { metaData: { memberId: 'm_81273' } } });
    expect(routeSourceEvent(same, given)).toMatchObject({ kind: 'routed' });
  });

  it('is unroutable with an unknown tier', () => {
    for (const tier of ['platinum', 'constructor']) {
      const route = routeSourceEvent(sampleEvent(enrolled, { data: { tier } }), given);
      expect(route).toEqual(quarantined('unroutable', 'data.tier'));
    }
  });
});

describe('an update', () => {
  const identity = { metaData: { memberId: 'm_81273' } };

  it('sends the changed paths, and the member id by which the workflow finds the pass', () => {
    expect(routeSourceEvent(sampleEvent(updated), given)).toEqual({
      kind: 'routed',
      cancels: [],
      intents: [
        {
          program: 'coffee-club',
          memberId: 'm_81273',
          operation: 'update-via-workflow',
          command: {
            ...reference,
            operation: 'update-via-workflow',
            workflowId: '78',
            content: { tierId: 2, passdata: { points: 120, ...identity } },
          },
          businessKey: null,
          businessContent: null,
          waitsFor: null,
          parked: null,
          facts: {},
        },
      ],
    });
  });

  it.each([
    [{ changed: ['person.email'], person: { email: 'a@b.c', phone: '1' } }, { person: { email: 'a@b.c' } }],
    [{ changed: ['person.email'], person: { email: null } }, { person: { email: null } }],
    [{ changed: ['person.birthDate'], person: { birthDate: '2000-01-01' } }, { person: { birthday: '2000-01-01' } }],
    [{ changed: ['person.birthDate'], person: { birthDate: null } }, { person: { birthday: null } }],
    [
      { changed: ['person'], person: { email: 'a@b.c', birthDate: null, nickname: 'A' } },
      { person: { email: 'a@b.c', birthday: null } },
    ],
    [
      { changed: ['groupId', 'message'], groupId: null, message: 'Hi' },
      { groupId: null, message: 'Hi' },
    ],
    [{ changed: ['smsSubscription'], smsSubscription: 'transactional' }, { smsSubscription: 300 }],
    [{ changed: ['smsSubscription'], smsSubscription: null }, { smsSubscription: null }],
    [{ changed: ['tier'], tier: null }, { tierId: null }],
    [
      { changed: ['person', 'tier'], person: null, tier: 'gold' },
      { tierId: 2, person: { firstName: null, lastName: null, email: null, phone: null, birthday: null } },
    ],
    [{ changed: ['person'], person: { email: null, birthDate: null } }, { person: { email: null, birthday: null } }],
  ])('%j', (data, content) => {
    expect(contentOf(update(data))).toEqual({ ...content, passdata: identity });
  });

  it.each([
    [{ changed: ['pass.optOut'], pass: { optOut: false, points: 1 } }, { optOut: false }],
    [
      { changed: ['pass'], pass: { seat: null, points: 1, colour: 'red' } },
      { seat: null, points: 1 },
    ],
  ])('%j', (data, passdata) => {
    expect(contentOf(update(data))).toEqual({ passdata: { ...passdata, ...identity } });
  });

  it.each([
    [['metaData.shopify'], { shopify: '1', other: 2 }, { shopify: '1' }],
    [['metaData.a.b'], { 'a.b': null }, { 'a.b': null }],
    [['metaData'], { shopify: '1', other: 2 }, { shopify: '1', other: 2 }],
  ])('of %j sends those keys of metaData', (changed, metaData, sent) => {
    expect(contentOf(update({ changed, metaData }))).toEqual({
      passdata: { metaData: { ...sent, memberId: 'm_81273' } },
    });
  });

  it('is ignored when nothing changed, or nothing that this program sends', () => {
    expect(update({ changed: [] })).toEqual({ kind: 'ignored', reason: 'nothing-changed' });
    expect(update({ changed: ['favourite', 'person.nickname', 'pass.metaData', 'tier.x'] })).toEqual({
      kind: 'ignored',
      reason: 'not-mapped',
    });
    expect(update({}, noUpdate)).toEqual({ kind: 'ignored', reason: 'not-mapped' });
  });

  it.each([
    [{ changed: ['person.email'], person: {} }, 'data.person.email: named in changed'],
    [{ changed: ['pass.points'], pass: null }, 'data.pass.points: named in changed'],
    [{ changed: ['tier'], tier: undefined }, 'data.tier: named in changed'],
    [{ changed: ['metaData.toString'] }, 'data.metaData.toString: named in changed'],
    [{ changed: ['person.birthDate'], person: { birthDate: {} } }, 'data.person.birthDate: must be'],
    [{ changed: ['metaData'], metaData: { memberId: 'm_1' } }, 'data.metaData.memberId'],
  ])('%j is invalid', (data, detail) => {
    expect(update(data)).toEqual(quarantined('invalid', detail));
  });

  it('regression: null clears what an attribute is mapped from, also where it lies deeper', () => {
    const deeper = programs([/personAttributes: .*/, 'personAttributes: { town: person.address.city }']);
    const content = contentOf(update({ changed: ['person.address'], person: { address: null } }, deeper));
    expect(content).toEqual({ person: { town: null }, passdata: identity });
  });

  it.each([
    ['pass', null],
    ['metaData', null],
    ['pass', {}],
    ['metaData', {}],
    ['person', {}],
    ['person', undefined],
  ])('regression: all of %s as %j is invalid beside another change, too, and never dropped', (group, value) => {
    for (const changed of [[group], ['tier', group]]) {
      const route = update({ changed, tier: 'gold', [group]: value });
      expect(route).toEqual(quarantined('invalid', `data.${group}: names no field`));
    }
  });

  it('is unroutable with an unknown tier', () => {
    expect(update({ changed: ['tier'], tier: 'platinum' })).toEqual(quarantined('unroutable', 'data.tier'));
  });

  it('may be scheduled, found by its filter', () => {
    expect(update({}, scheduled)).toMatchObject({
      intents: [
        {
          operation: 'schedule-update',
          command: {
            operation: 'schedule-update',
            scheduledName: 'loyaltyd /pos/berlin-07/till-3 01JD7Z0Q9W3M',
            content: { tierId: 2, passdata: { points: 120 } },
          },
        },
      ],
    });
    expect(JSON.stringify(contentOf(update({}, scheduled)))).not.toContain('metaData');
  });
});

describe('an opt-out', () => {
  const metaData = { memberId: 'm_81273' };
  const optOut = (data: Record<string, unknown>, file = given): RouteResult =>
    routeSourceEvent(sampleEvent(optedOut, { data }), file);

  it.each([
    ['sms', { smsSubscription: 900, passdata: { metaData } }],
    ['wallet', { passdata: { optOut: true, metaData } }],
    ['program', { smsSubscription: 900, passdata: { optOut: true, metaData } }],
  ])('of %s is an update', (scope, content) => {
    const route = optOut({ scope });
    expect(route).toMatchObject({ intents: [{ operation: 'update-via-workflow', parked: null }] });
    expect(contentOf(route)).toEqual(content);
  });

  it('of the program cancels what is queued and begins a new generation', () => {
    expect(optOut({ scope: 'program' })).toMatchObject({
      cancels: [
        {
          program: 'coffee-club',
          memberId: 'm_81273',
          target: 'everything-queued',
          reason: 'opted-out',
          ifTooLate: null,
        },
      ],
      memberEffects: { raisesGeneration: true, erase: false },
    });
  });

  it('of less leaves the queue alone, unless it also erases', () => {
    expect(optOut({ scope: 'sms' })).toMatchObject({ cancels: [] });
    expect(optOut({ scope: 'wallet' })).not.toHaveProperty('memberEffects');
    expect(optOut({ scope: 'sms', erase: true })).toMatchObject({
      cancels: [],
      memberEffects: { raisesGeneration: true, erase: true },
    });
  });

  it('is never lost: without a way to update it is parked', () => {
    expect(optOut({ scope: 'program' }, noUpdate)).toMatchObject({
      intents: [
        {
          command: null,
          parked: { reason: 'unroutable', detail: expect.stringContaining('program') as string },
          withdraws: ['smsSubscription', 'passdata.optOut'],
        },
      ],
      cancels: [{ target: 'everything-queued' }],
    });
  });

  it('from e-mail is for a person, and takes back nothing else: the partner has no call for it', () => {
    const detail = 'opted-out (email): the partner has no call for it';
    const intent = { command: null, parked: { reason: 'unroutable', detail }, withdraws: [] };
    expect(optOut({ scope: 'email' })).toMatchObject({ intents: [intent], cancels: [] });
  });

  it('from e-mail with an erasure takes the card away all the same', () => {
    const [ofEmail, ofProgram] = (['email', 'program'] as const).map((scope) => optOut({ scope, erase: true }));
    expect(ofEmail).toMatchObject({
      intents: [{ parked: null, command: { content: { passdata: { optOut: true } } } }],
    });
    const contentOf = (route: typeof ofEmail): unknown =>
      route?.kind === 'routed' && route.intents[0]?.command && 'content' in route.intents[0].command
        ? route.intents[0].command.content
        : null;
    expect(contentOf(ofEmail)).toEqual(contentOf(ofProgram));
  });

  it('erases where events may, else it withdraws and leaves, and the erasure is for a person', () => {
    expect(optOut({ scope: 'sms', erase: true })).toMatchObject({
      memberEffects: { erase: true },
      ownWord: { program: 'coffee-club', does: 'erase', members: 1, perHour: 100 },
    });
    const strict = programs([/eventsMay: .*/, '']);
    for (const scope of ['sms', 'program']) {
      const { intents, cancels } = optOut({ scope }) as Extract<RouteResult, { kind: 'routed' }>;
      expect(optOut({ scope, erase: true }, strict)).toEqual({
        ...{ kind: 'routed', intents, cancels, memberEffects: { raisesGeneration: true, erase: false } },
        leftForPerson: { reason: 'not-permitted', detail: expect.stringContaining('(eventsMay.erase)') as string },
      });
    }
  });

  it('may be scheduled', () => {
    expect(optOut({ scope: 'wallet' }, scheduled)).toMatchObject({
      intents: [{ operation: 'schedule-update', command: { content: { passdata: { optOut: true } } } }],
    });
  });
});

describe('an opt-out that says what earlier ones had still to say', () => {
  const commandOf = (name: Parameters<typeof sampleEvent>[0], data: Record<string, unknown>): PartnerCommand => {
    const route = routeSourceEvent(sampleEvent(name, { data }), given);
    const command = route.kind === 'routed' ? route.intents[0]?.command : null;
    if (!command) throw new Error('no command');
    return command;
  };
  const [sms, wallet, program] = ['sms', 'wallet', 'program'].map((scope) => commandOf(optedOut, { scope }));
  const other = commandOf(updated, {
    changed: ['tier', 'smsSubscription'],
    tier: 'gold',
    smsSubscription: 'promotional',
  });
  const purchase = commandOf('loyalty.purchase.completed.v1', {});

  it('says both, and nothing else of them', () => {
    expect(withUnsentOptOuts(sms!, [other, wallet!, purchase])).toEqual(program);
    expect(withUnsentOptOuts(wallet!, [sms!, other])).toEqual(program);
    expect(withUnsentOptOuts(sms!, [program!])).toEqual(program);
  });

  it('stays as it is where they say no more than it does', () => {
    expect(withUnsentOptOuts(sms!, [sms!, other])).toEqual(sms);
    expect(withUnsentOptOuts(program!, [sms!, wallet!])).toEqual(program);
    expect(withUnsentOptOuts(purchase, [wallet!])).toBe(purchase);
  });
});

describe('a merge', () => {
  it('is parked with both ids', () => {
    expect(routeSourceEvent(sampleEvent(merged, { data: { absorbed: ['m_1', 'm_2'] } }), given)).toEqual({
      kind: 'routed',
      cancels: [],
      intents: [
        {
          program: 'coffee-club',
          memberId: 'm_81273',
          operation: 'update-via-workflow',
          command: null,
          businessKey: null,
          businessContent: null,
          waitsFor: null,
          parked: { reason: 'merged', detail: 'absorbed ["m_1","m_2"] into "m_81273"' },
          facts: {},
        },
      ],
      memberEffects: {
        raisesGeneration: false,
        erase: false,
        merge: { into: 'm_81273', absorbed: ['m_1', 'm_2'], isUndone: false },
      },
      ownWord: { program: 'coffee-club', does: 'merge', members: 2, perHour: 100 },
    });
  });

  it('is for a person where events may not merge, and theirs where one has it taken in', () => {
    const strict = programs([/eventsMay: .*/, '']);
    const detail = 'type: no event of this program may merge or separate members (eventsMay.merge): an admin decides';
    for (const name of [merged, 'loyalty.member.unmerged.v1'] as const) {
      expect(routeSourceEvent(sampleEvent(name), strict)).toEqual({
        ...{ kind: 'quarantine', reason: 'not-permitted', detail },
      });
      const route = routeSourceEvent(sampleEvent(name), strict, { isByPerson: true });
      expect(route.kind).toBe('routed');
      expect(route).not.toHaveProperty('ownWord');
    }
  });
});

describe('several workflows and templates', () => {
  const chosen = programs(
    [/update: {4}\{.*/, 'update: { via: workflow, workflowId: "78", choose: { by: tier, workflows: { gold: "79" } } }'],
    [
      /enrolment: .*/,
      'enrolment: { via: workflow, workflowId: "77", choose: { by: attributes.shop, workflows: { web: "80" } } }',
    ],
    [/templateId: 11/, 'templateId: 11\n    tierTemplates: { gold: 12 }'],
  );
  const workflowOf = (route: RouteResult): unknown => {
    const command = route.kind === 'routed' ? route.intents[0]?.command : undefined;
    return command && 'workflowId' in command ? command.workflowId : route;
  };
  const enrol = (data: Record<string, unknown>): RouteResult =>
    routeSourceEvent(sampleEvent(enrolled, { data }), chosen);

  it.each([
    [{ attributes: { shop: 'web' } }, '80'],
    [{ attributes: { shop: 'till' } }, '77'],
    [{ attributes: { shop: 'constructor' } }, '77'],
    [{ attributes: { shop: null } }, '77'],
    [{ attributes: { shop: ['web'] } }, '77'],
    [{}, '77'],
  ])('an enrolment with %j goes by workflow %s', (data, workflowId) => {
    expect(workflowOf(enrol(data))).toBe(workflowId);
  });

  it('an update goes by the workflow of its field', () => {
    expect(workflowOf(update({ changed: ['tier'], tier: 'gold' }, chosen))).toBe('79');
    expect(workflowOf(update({ changed: ['message'], tier: null, message: 'x' }, chosen))).toBe('78');
  });

  it('a pass has the template of its tier, and gets it with a change of the tier', () => {
    expect(contentOf(enrol({ tier: 'gold' }))).toMatchObject({ templateId: 12 });
    expect(contentOf(enrol({ tier: 'basic' }))).toMatchObject({ templateId: 11 });
    expect(contentOf(update({ changed: ['tier'], tier: 'gold' }, chosen))).toMatchObject({ tierId: 2, templateId: 12 });
    expect(contentOf(update({ changed: ['tier'], tier: 'basic' }, chosen))).not.toHaveProperty('templateId');
  });

  it.each([
    ['tierTemplates: { silver: 12 }', 'tierTemplates.silver: must be one of tiers'],
    ['enrolment: { via: workflow, workflowId: "77", choose: { by: channel, workflows: {} } }', 'names no workflow'],
  ])('refuses %s', (line, problem) => {
    const text = PROGRAMS_FILE_EXAMPLE.replace(line.startsWith('enrolment') ? /enrolment: .*/ : /templateId: 11/, line);
    const parsed = parseProgramsFile(text);
    expect(parsed.ok ? '' : parsed.errors.join('\n')).toContain(problem);
  });
});
