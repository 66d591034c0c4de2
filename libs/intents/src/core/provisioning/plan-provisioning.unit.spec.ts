import type { Program, ProgramsFile, ProvisionSection } from '#contracts';
import { parseProgramsFile } from '#contracts';

import type { ProvisionStep } from './plan-provisioning.js';
import { inFlightMsOf, planProvisioning } from './plan-provisioning.js';
import type { DeclaredThing, RecordedThing } from './thing.js';
import { declaredThings, dependsOn } from './thing.js';

const now = 1_800_000_000_000;

const completed =
  'transactionTypeId: 31, attributes: { store: storeId, receipt: purchaseId }, uniqueAttribute: receipt';
const purchases = `{ completed: { ${completed} }, refunded: { transactionTypeId: 32, attributes: { receipt: refundId } } }`;
const provision = `provision:
  brands:
    101: { attributes: { memberId: { id: 501, searchable: true, unique: true }, birthday: date } }
  programs:
    club:
      transactionTypes:
        31: { name: Purchase, attributes: { store: string, receipt: { unique: true, required: true } } }
      templates: { Basic: { passType: GENERIC }, Old: { passType: GENERIC, exists: true } }
`;

function fileOf(section = provision, settings = `purchases: ${purchases}`): ProgramsFile {
  const text = `programs:
  club: { brandId: 101, programId: 2001, currency: EUR, templateId: 11, inFlightMs: 5000, ${settings} }
  tea: { brandId: 102, programId: 2101, inFlightMs: 9000 }
${section}`;
  const result = parseProgramsFile(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.value;
}

function plan(
  recorded: readonly RecordedThing[] = [],
  file = fileOf(),
  program: string | null = null,
): ProvisionStep[] {
  return [...planProvisioning({ file, program, recorded, now }).steps];
}

function declared(name: string, file = fileOf()): DeclaredThing {
  const thing = declaredThings(file, null).find((each) => each.name === name);
  if (thing === undefined) throw new Error(`nothing declared of the name ${name}`);
  return thing;
}

/** What is written of a declared thing that was put in place so, unless said otherwise. */
function recorded(name: string, change: Partial<RecordedThing> = {}): RecordedThing {
  const { path: _path, program: _program, exists: _exists, ...thing } = declared(name);
  const state = { version: 2, stepId: 's', action: 'create', state: 'created', placed: thing.content } as const;
  return { ...thing, ...state, partnerId: '7', at: now - 60_000, until: null, jobId: 'j', actor: null, ...change };
}

const actionOf = (steps: readonly ProvisionStep[], name: string): string[] =>
  steps.filter((step) => step.name === name).map(({ action, why }) => `${action} ${why}`);

describe('the name of a brand (4.13)', () => {
  const named = fileOf(provision.replace('101: { attributes', '101: { name: Coffee, attributes'));
  const stepOf = (things: readonly RecordedThing[]): ProvisionStep | undefined =>
    plan(things, named).find(({ kind }) => kind === 'brand');

  it('is set once, by the id of the brand, and again when it differs', () => {
    expect(stepOf([])).toMatchObject({
      action: 'update',
      why: 'not-set-yet',
      partnerId: '101',
      content: { name: 'Coffee' },
    });
    const { path: _path, program: _program, exists: _exists, ...thing } = declared('101', named);
    const state = { version: 2, stepId: 's', action: 'update', state: 'updated', placed: thing.content } as const;
    const done = { ...thing, ...state, at: now - 60_000, until: null, jobId: 'j', actor: null };
    expect(stepOf([done])).toMatchObject({ action: 'in-place', why: 'as-sent' });
    expect(stepOf([{ ...done, placed: { name: 'Tea' } }])).toMatchObject({ action: 'update', why: 'differs' });
  });

  it('is nothing that is to be done where none is declared', () => {
    expect(plan().some(({ kind }) => kind === 'brand')).toBe(false);
  });
});

describe('what is declared', () => {
  it('comes in an order in which it can be made: brands first, a type before its attributes', () => {
    const things = declaredThings(fileOf(), null);
    expect(things.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'brand-attribute memberId',
      'brand-attribute birthday',
      'transaction-type 31',
      'transaction-attribute store',
      'transaction-attribute receipt',
      'template Basic',
      'template Old',
    ]);
    expect(things.map(({ path }) => path)).toContain('provision.programs.club.transactionTypes.31.attributes.receipt');
    const rests = things.map(dependsOn);
    expect(rests.filter((base) => base !== null)).toEqual([
      expect.objectContaining({ kind: 'transaction-type', name: '31' }),
      expect.objectContaining({ kind: 'transaction-type', name: '31' }),
    ]);
  });

  it('says to the partner what was declared, and uniqueness only where it is wanted', () => {
    expect(declared('receipt').content).toEqual({
      name: 'receipt',
      dataType: 'string',
      required: true,
      uniqueKey: true,
    });
    expect(declared('store').content).toEqual({ name: 'store', dataType: 'string', required: false });
    const birthday = { name: 'birthday', dataType: 'date', searchable: false, unique: false };
    expect(declared('birthday').content).toEqual(birthday);
  });

  it('is that of a program and its brand where only one is asked for', () => {
    expect(declaredThings(fileOf(), 'tea')).toEqual([]);
    expect(declaredThings(fileOf(), 'club')).toHaveLength(7);
  });
});

describe('a first plan', () => {
  it('makes what is not there, sets what can only be set, and touches nothing that is said to exist', () => {
    const steps = plan();
    expect(steps.slice(0, 7).map(({ name, action }) => `${action} ${name}`)).toEqual([
      'update memberId',
      'create birthday',
      'update 31',
      'create store',
      'create receipt',
      'create Basic',
      'cannot-be-read Old',
    ]);
    expect(steps[0]).toMatchObject({ partnerId: '501', path: 'provision.brands.101.attributes.memberId' });
  });

  it('says what it cannot read: what the programs use and nobody declares, and that there may be more', () => {
    const rest = plan().slice(7);
    expect(rest.map(({ kind, name, why, path }) => [kind, name, why, path])).toEqual([
      ['transaction-type', '32', 'not-made-by-us', 'programs.club.purchases.refunded'],
      ['template', '11', 'not-made-by-us', 'programs.club.templateId'],
      ['brand-attribute', '*', 'cannot-be-listed', null],
    ]);
    const made = recorded('Basic', { partnerId: '11' });
    expect(plan([made]).filter(({ why }) => why === 'not-made-by-us')).toHaveLength(1);
  });

  it('is empty where nothing is declared', () => {
    expect(plan([], fileOf(''))).toEqual([]);
  });
});

describe('a plan after something was done', () => {
  it('leaves in place what is as it was sent', () => {
    expect(actionOf(plan([recorded('birthday'), recorded('store')]), 'birthday')).toEqual(['in-place as-sent']);
  });

  it('changes what can be changed, by the id that was answered', () => {
    const before = recorded('birthday', { placed: { name: 'birthday', dataType: 'string' } });
    const [step] = plan([before]).filter(({ name }) => name === 'birthday');
    expect(step).toMatchObject({ action: 'update', why: 'differs', partnerId: '7' });
    expect(actionOf(plan([{ ...before, partnerId: null }]), 'birthday')).toEqual(['cannot-be-changed no-id']);
  });

  it.each([
    ['store', 'cannot-be-changed no-call'],
    ['Basic', 'cannot-be-changed no-call'],
    ['Old', 'cannot-be-read said-to-exist'],
  ])('says of %s, which the partner cannot change, %s', (name, expected) => {
    expect(actionOf(plan([recorded(name, { placed: { name, passType: 'OTHER' } })]), name)).toEqual([expected]);
  });

  it('sets anew what the file gives another id than the partner answered', () => {
    const before = recorded('memberId', { partnerId: '499' });
    expect(actionOf(plan([before]), 'memberId')).toEqual(['update not-set-yet']);
    expect(actionOf(plan([{ ...before, partnerId: '501' }]), 'memberId')).toEqual(['in-place as-sent']);
    expect(actionOf(plan([{ ...before, partnerId: null }]), 'memberId')).toEqual(['in-place as-sent']);
  });

  it.each(['refused', 'not-applied'] as const)('makes once more what was %s', (state) => {
    expect(actionOf(plan([recorded('store', { state, placed: null })]), 'store')).toEqual(['create not-made-yet']);
  });

  it('names what it made and the file no longer declares, and deletes nothing', () => {
    const things = [
      recorded('birthday'),
      recorded('store', { state: 'refused', placed: null }),
      recorded('Basic', { state: 'unknown', placed: null, stepId: 'doubted' }),
    ];
    const gone = plan(things, fileOf('')).map(({ name, action, stepId, content }) => [name, action, stepId, content]);
    expect(gone).toEqual([
      ['birthday', 'gone-from-file', null, null],
      ['Basic', 'gone-from-file', 'doubted', null],
    ]);
    expect(plan(things, fileOf(''), 'tea')).toEqual([]);
    expect(plan(things, fileOf(''), 'club')).toHaveLength(2);
  });
});

describe('a call of which nobody knows what became of it', () => {
  it.each([
    ['unknown', null],
    ['begun', now - 1],
  ] as const)('(%s) is never made again when it was a create', (state, until) => {
    const doubt = recorded('store', { state, until, placed: null, stepId: 'doubted', at: now - 86_400_000 });
    const [step] = plan([doubt]).filter(({ name }) => name === 'store');
    expect(step).toMatchObject({ action: 'unknown', why: 'in-doubt', stepId: 'doubted' });
  });

  it('is waited for while it is under way', () => {
    const begun = recorded('store', { state: 'begun', until: now, placed: null });
    expect(actionOf(plan([begun]), 'store')).toEqual(['unknown under-way']);
  });

  it('is set once more when it was a change, as soon as it cannot undo the new one', () => {
    const doubt = recorded('birthday', { state: 'unknown', action: 'update' });
    const at = (ageMs: number): string[] => actionOf(plan([{ ...doubt, at: now - ageMs }]), 'birthday');
    expect(at(4_999)).toEqual(['unknown may-still-apply']);
    expect(at(5_000)).toEqual(['update update-in-doubt']);
  });

  it('of a brand may still apply as long as that of any of its programs', () => {
    const file = fileOf();
    const both: Record<string, Program> = { ...file.programs };
    both['tea'] = { ...both['tea']!, brandId: '101' };
    const thing = {
      kind: 'brand-attribute',
      brandId: '101',
      programId: null,
      transactionTypeId: null,
      name: 'x',
    } as const;
    expect(inFlightMsOf({ ...file, programs: both }, thing)).toBe(9_000);
    expect(inFlightMsOf({ ...file, programs: both }, { ...thing, programId: '2001' })).toBe(5_000);
  });
});

describe('warnings', () => {
  const warnings = (file: ProgramsFile): string[] =>
    planProvisioning({ file, program: null, recorded: [], now }).warnings.map(
      ({ path, warning }) => `${path}: ${warning}`,
    );

  it('name what is sent and not declared, and what is required and not sent', () => {
    expect(warnings(fileOf())).toEqual([]);
    const section = provision.replace('store: string', 'till: { required: true }');
    expect(warnings(fileOf(section))).toEqual([
      'programs.club.purchases.completed.attributes.store: is not declared in provision.programs.club.transactionTypes.31.attributes',
      'provision.programs.club.transactionTypes.31.attributes.till: is required, and programs.club.purchases.completed does not send it',
    ]);
  });

  it('hold for every program of ours that is the same one of the partner', () => {
    const file = fileOf();
    const alias = { ...file.programs['club']!, purchases: { ...file.programs['club']!.purchases } };
    const section: ProvisionSection = {
      brands: {},
      programs: { club: { transactionTypes: { '32': { name: 'Refund', attributes: {} } }, templates: {} } },
    };
    const both = { ...file, programs: { ...file.programs, alias }, provision: section };
    expect(warnings(both).map((text) => text.split(':')[0])).toEqual([
      'programs.club.purchases.refunded.attributes.receipt',
      'programs.alias.purchases.refunded.attributes.receipt',
    ]);
  });
});
