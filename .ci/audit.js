import { spawnSync } from 'node:child_process';

/**
 * node .ci/audit.js: what the registry knows of holes in the packages that run (`npm audit`). A high or critical one fails,
 * lesser ones are printed. A registry that answers no audits, or none at all, is no failure, and that is printed.
 */
const failing = ['high', 'critical'];
const outputBytesMax = 64 * 1024 * 1024;
const auditMsMax = 300_000;

/** npm prints its errors as JSON, too. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const limits = { encoding: 'utf8', maxBuffer: outputBytesMax, timeout: auditMsMax };
const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], limits);
const { vulnerabilities, message, error } = parsed(stdout ?? '');

if (vulnerabilities === undefined) {
  const reason = message || error?.summary || 'no answer';
  console.log(`npm audit: NOT ANSWERED (${reason}). Nothing was learnt of known holes`);
} else {
  const found = Object.values(vulnerabilities);
  for (const { name, severity, via } of found) {
    const titles = via.map((cause) => (typeof cause === 'string' ? `through ${cause}` : `${cause.title} ${cause.url}`));
    console.log(`${severity}: ${name}: ${titles.join('; ')}`);
  }
  const isFailure = found.some(({ severity }) => failing.includes(severity));
  console.log(
    `npm audit: ${found.length} known holes in what runs${isFailure ? '; a high or critical one fails' : ''}`,
  );
  process.exitCode = isFailure ? 1 : 0;
}
