import type { ActRow, ListRow } from '../../reading/tables.js';
import type { ListEntry, OperatorAct } from '../case.js';

const lists: readonly ListEntry['list'][] = ['quarantined', 'parked', 'cancelled', 'waiting', 'open'];

export function listEntries(rows: readonly ListRow[]): ListEntry[] {
  return rows.map(({ list, place, type, reason, member, operation, since, dealtWith }) => ({
    list: lists.find((known) => known === list) ?? 'open',
    place,
    ...(type === null ? {} : { type }),
    reason,
    member,
    ...(operation === null ? {} : { operation }),
    ...(since === null ? {} : { sinceMs: since }),
    ...(dealtWith === 'resubmitted' || dealtWith === 'discarded' ? { dealtWith } : {}),
  }));
}

const acts: { readonly [action: string]: OperatorAct['act'] } = {
  'intent.replay': 'replay',
  'intent.resolve': 'resolve',
  'intent.cancel': 'cancel',
  'intent.correct': 'correct',
  'reread.settle': 'resolve',
  'reconcile.reissue': 'repair',
  'member.erase': 'erase',
  'quarantine.resubmit': 'resubmit',
  'quarantine.discard': 'discard',
};

export function operatorActs(rows: readonly ActRow[]): OperatorAct[] {
  return rows.flatMap(({ action, place, type, program, member, at }) => {
    const act = acts[action];
    if (act === undefined) return [];
    return [
      {
        act,
        atMs: at,
        ...(place === null ? {} : { place }),
        ...(type === null ? {} : { type }),
        ...(program === null ? {} : { program }),
        ...(member === null ? {} : { member }),
      },
    ];
  });
}
