import type { House } from '../house/house.js';
import { houseTopics } from '../house/house.js';
import { clubs } from '../house/programs-text.js';

/** What a person needs to know about a running house, line by line. */
export function describeHouse(house: House): readonly string[] {
  const { sandbox, daemon, postgres, folder } = house;
  const programs = Object.entries(clubs).map(([name, { brandId, programId }]) => `${name} (${brandId}/${programId})`);
  const kept = folder.isTemporary ? 'temporary, removed at the end' : 'kept';
  const rows: readonly (readonly [string, string])[] = [
    ['daemon', `${daemon.operations}  (/health/ready, /metrics)`],
    ['operator token', `${house.operatorToken}  (this run only)`],
    ['kafka', `${house.brokers}  topics ${Object.values(houseTopics).join(', ')}`],
    ['postgres', `${postgres.url}  (${postgres.version})`],
    ['wallet sandbox', `${sandbox.baseUrl}  ledger ${sandbox.authUrl}/__ledger  faults ${sandbox.authUrl}/__faults`],
    ['programs', `${programs.join(', ')} in ${folder.programsFile}`],
    ['logs', `${daemon.logFile}, ${sandbox.logFile}`],
    ['data', `${folder.path}  (${kept})`],
  ];
  return ['', ...rows.map(([name, text]) => `  ${name.padEnd(15)} ${text}`), '', 'Ctrl-C stops everything.'];
}
