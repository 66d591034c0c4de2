import type { AuditInput, EmittedRecord, LedgerEntry, AuditedIntent } from './audit.js';
import { audit, isClean, reportTable } from './audit.js';
import type { ExpectedEffect } from './traffic/draft.js';

const pass = { brandId: '101', programId: '2001', memberId: 'm1' };
const issue: ExpectedEffect = { ...pass, operation: 'issue', what: '' };
const sale = (receipt: string, amount = 1.5): ExpectedEffect => ({
  ...pass,
  operation: 'transaction',
  what: `31 ${receipt} ${amount}`,
});
const reward: ExpectedEffect = { ...pass, operation: 'reward', what: '9001' };

let run: {
  emitted: EmittedRecord[];
  ledger: LedgerEntry[];
  intents: AuditedIntent[];
  quarantined: AuditInput['quarantined'];
};

const topicOf = ({ operation }: ExpectedEffect): string => {
  if (operation === 'transaction') return 'purchases';
  return operation === 'reward' ? 'rewards' : 'members';
};

/** Emits a record; its place is the next in its topic, its lane seq the next of all. */
function emit(
  expectation: EmittedRecord['expectation'],
  status: AuditedIntent['status'] | null = 'delivered',
): EmittedRecord {
  const topic = 'effect' in expectation ? topicOf(expectation.effect) : 'purchases';
  const offset = run.emitted.filter((record) => record.topic === topic).length;
  const record = { topic, partition: 0, offset, role: expectation.kind, expectation };
  run.emitted.push(record);
  const parkedReason = status === 'parked' ? 'missing-pass' : null;
  if (status !== null) {
    run.intents.push({ ...record, seq: run.intents.length + 1, status, parkedReason, operation: 'any' });
  }
  return record;
}

const expectEffect = (effect: ExpectedEffect, status?: AuditedIntent['status']): EmittedRecord =>
  emit({ kind: 'effect', effect }, status);

/** An effect in the partner's ledger. */
function applied(effect: ExpectedEffect): void {
  const [targetId = null, key = null, amount] = effect.operation === 'issue' ? [] : effect.what.split(' ');
  const body = amount === undefined ? null : { amount: Number(amount) };
  const { operation, brandId, programId, memberId: uniqueId } = effect;
  run.ledger.push({ seq: run.ledger.length + 1, operation, brandId, programId, uniqueId, targetId, key, body });
}

beforeEach(() => {
  run = { emitted: [], ledger: [], intents: [], quarantined: [] };
});

describe('the audit', () => {
  it('is clean when every effect is there once, in order', () => {
    for (const effect of [issue, sale('a'), sale('b'), reward]) {
      expectEffect(effect);
      applied(effect);
    }
    emit({ kind: 'nothing' }, null);
    const report = audit(run);
    expect(report).toEqual({
      events: 5,
      intents: 4,
      delivered: 4,
      parked: 0,
      quarantined: 0,
      duplicatesAtPartner: 0,
      outOfOrderAtPartner: 0,
      lost: 0,
      findings: [],
    });
    expect(isClean(report)).toBe(true);
  });

  it('finds a loss, whatever the daemon claims', () => {
    expectEffect(sale('a'), 'delivered');
    const report = audit(run);
    expect(report).toMatchObject({ lost: 1, delivered: 0, findings: ['lost: effect at purchases/0/0'] });
    expect(isClean(report)).toBe(false);
  });

  it.each(['pending', 'waiting', 'delivering', 'unknown', 'cancelled'] as const)('counts %s as lost', (status) => {
    expectEffect(sale('a'), status);
    expect(audit(run).lost).toBe(1);
  });

  it('finds what was never recorded', () => {
    emit({ kind: 'effect', effect: sale('a') }, null);
    expect(audit(run).lost).toBe(1);
  });

  it('does not call lost what a person was told about', () => {
    expectEffect(sale('a'), 'parked');
    const { topic, partition, offset } = emit({ kind: 'effect', effect: sale('b') }, null);
    run.quarantined = [{ topic, partition, offset, reason: 'invalid' }];
    expect(audit(run)).toMatchObject({ lost: 0, delivered: 0, parked: 1, quarantined: 1 });
  });

  it('lets a voided purchase be cancelled or delivered, nothing else', () => {
    expectEffect(sale('a'), 'cancelled');
    expectEffect(sale('b'));
    applied(sale('b'));
    expectEffect(sale('c'), 'pending');
    for (const receipt of ['a', 'b', 'c']) emit({ kind: 'void', effect: sale(receipt) }, null);
    expect(audit(run)).toMatchObject({ lost: 1, delivered: 1, duplicatesAtPartner: 0 });
  });

  it('finds an effect that is there twice', () => {
    expectEffect(sale('a'));
    applied(sale('a'));
    applied(sale('a'));
    const report = audit(run);
    expect(report).toMatchObject({ duplicatesAtPartner: 1, delivered: 1, lost: 0 });
    expect(isClean(report)).toBe(false);
  });

  it('finds an effect that nobody asked for, and one with another amount', () => {
    expectEffect(sale('a', 1.5));
    applied(sale('a', 15));
    applied(reward);
    expect(audit(run)).toMatchObject({ duplicatesAtPartner: 2, lost: 1 });
  });

  it('counts grants of one reward', () => {
    expectEffect(reward);
    expectEffect(reward);
    applied(reward);
    expect(audit(run)).toMatchObject({ delivered: 1, lost: 1 });
    applied(reward);
    expect(audit(run)).toMatchObject({ delivered: 2, lost: 0, duplicatesAtPartner: 0 });
    applied(reward);
    expect(audit(run)).toMatchObject({ duplicatesAtPartner: 1 });
  });

  it('takes the parked one of two equal grants for the absent one', () => {
    expectEffect(reward, 'parked');
    expectEffect(reward);
    applied(reward);
    expect(audit(run)).toMatchObject({ delivered: 1, lost: 0, duplicatesAtPartner: 0, outOfOrderAtPartner: 0 });
  });

  it('finds disorder within a topic, even where the lane agrees with it', () => {
    const [first, second] = [expectEffect(sale('a')), expectEffect(sale('b'))];
    run.intents = run.intents.map((intent) => ({
      ...intent,
      seq: intent.offset === first.offset ? 2 : 1,
    }));
    applied(sale('b'));
    applied(sale('a'));
    expect(second.offset).toBe(1);
    const report = audit(run);
    expect(report).toMatchObject({ outOfOrderAtPartner: 1, lost: 0 });
    expect(isClean(report)).toBe(false);
  });

  it('finds disorder between topics by the lane', () => {
    expectEffect(sale('a'));
    expectEffect(reward);
    applied(reward);
    applied(sale('a'));
    expect(audit(run).outOfOrderAtPartner).toBe(1);
  });

  it('lets an enrolment overtake, and nothing overtake it', () => {
    expectEffect(sale('a'));
    expectEffect(issue);
    expectEffect(sale('b'));
    applied(issue);
    applied(sale('a'));
    applied(sale('b'));
    expect(audit(run).outOfOrderAtPartner).toBe(0);
    run.ledger = [];
    applied(sale('a'));
    applied(sale('b'));
    applied(issue);
    expect(audit(run).outOfOrderAtPartner).toBe(1);
  });

  it('does not order members against each other', () => {
    const other = { ...sale('b'), memberId: 'm2' };
    expectEffect(sale('a'));
    expectEffect(other);
    applied(other);
    applied(sale('a'));
    expect(audit(run).outOfOrderAtPartner).toBe(0);
  });

  it('wants broken records in quarantine, for their reason', () => {
    const { topic, partition, offset } = emit({ kind: 'quarantined', reason: 'invalid' }, null);
    expect(audit(run)).toMatchObject({
      lost: 1,
      findings: ['lost: quarantined at purchases/0/0 (quarantine: expected invalid, found nothing)'],
    });
    run.quarantined = [{ topic, partition, offset, reason: 'conflict' }];
    expect(audit(run).lost).toBe(1);
    run.quarantined = [{ topic, partition, offset, reason: 'invalid' }];
    expect(audit(run)).toMatchObject({ lost: 0, quarantined: 1 });
  });

  it('wants strangers parked and without effect', () => {
    emit({ kind: 'parked', effect: sale('a') }, 'parked');
    expect(audit(run)).toMatchObject({ lost: 0, parked: 1 });
    applied(sale('a'));
    expect(audit(run).duplicatesAtPartner).toBe(1);
    run.intents = run.intents.map((intent) => ({ ...intent, status: 'delivered', parkedReason: null }));
    expect(audit(run).lost).toBe(1);
  });
});

describe('the table', () => {
  const figures = {
    ...{ events: 10, intents: 8, delivered: 8, parked: 0, quarantined: 2, seconds: 7.8 },
    ...{ duplicatesAtPartner: 0, outOfOrderAtPartner: 0, lost: 0 },
  };

  it('has a line per figure and a verdict', () => {
    expect(reportTable(figures)).toMatch(/ {2}delivered +8 {2}effects found/);
    expect(reportTable(figures)).toContain('Nothing lost');
  });

  it.each(['duplicatesAtPartner', 'outOfOrderAtPartner', 'lost'])('says so when %s is not 0', (name) => {
    expect(reportTable({ ...figures, [name]: 1 })).toContain('Not clean');
  });
});
