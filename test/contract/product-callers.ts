import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Partner } from '#gateway';
import type { CallName } from './specification.js';
import { callNames, checkoutFolder } from './specification.js';

/** Commands all go by one method; which call it makes, the command says. */
const send = 'partner.send';

/** The method of the gateway's port that makes each call. */
const methods: Readonly<Record<CallName, keyof Partner | typeof send>> = {
  token: 'checkToken',
  lookup: 'findPass',
  issue: send,
  'issue-via-workflow': send,
  'update-via-workflow': send,
  'schedule-update': 'scheduleUpdate',
  list: 'listPasses',
  reward: send,
  transaction: send,
  'update-transaction-type': 'updateTransactionType',
  'create-transaction-attribute': 'createTransactionAttribute',
  'create-brand-attribute': 'createBrandAttribute',
  'update-brand-attribute': 'updateBrandAttribute',
  'create-template': 'createTemplate',
  'update-brand': 'updateBrand',
};

/** The daemon and its commands, without the gateway itself. */
const folders = ['apps/daemon/src', 'libs/outbox/src', 'libs/operations/src'];

function sources(root: string): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !/(?:^|\/)testing\//.test(file))
      .map((file) => readFileSync(join(root, folder, file), 'utf8')),
  );
}

/** At how many places the product makes each call; null where its sources are not there, as in an image. */
export function productCallers(): ReadonlyMap<CallName, number> | null {
  const root = checkoutFolder(import.meta.dirname);
  if (!folders.every((folder) => existsSync(join(root, folder)))) return null;
  const texts = sources(root);
  const placesOf = (method: string): number =>
    texts.reduce(
      (count, text) => count + [...text.matchAll(new RegExp(`\\.${method.replace('.', '\\.')}\\(`, 'g'))].length,
      0,
    );
  return new Map(callNames.map((call) => [call, placesOf(methods[call])]));
}
