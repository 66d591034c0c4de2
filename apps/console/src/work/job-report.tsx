import { type ReactNode } from 'react';

import { Facts } from '../components/facts.js';
import { JsonView } from '../components/json-view.js';
import { capital } from '../components/operation-words.js';
import { Panel } from '../components/panel.js';
import { useNowMs } from '../components/time-text.js';
import { isEnded, type Job } from './job-kinds.js';
import { reportFacts } from './job-progress.js';
import { factOf } from './job-facts.js';
import { JobProgressBar } from './job-progress-bar.js';
import { agreementText, type Counted, listingText, told } from './job-counts.js';
import styles from './job-report.module.css';

function CountLine({ counted }: { readonly counted: Counted }): ReactNode {
  const { count, text, weight, next } = counted;
  return (
    <li data-weight={weight}>
      <strong className={styles.count}>{count.toLocaleString('en')}</strong>
      <div>
        <span>{text}</span>
        {next === undefined ? null : <p className={styles.next}>{next}</p>}
      </div>
    </li>
  );
}

/** In words already, or the job's own business. */
const saidOtherwise = [
  'linesBeyond',
  'alreadyErased',
  'cannotBeReconciled',
  'request',
  'agrees',
  'isPartial',
  'plan',
  'findings',
  'notJudged',
  'repaired',
  'matched',
  'seconds',
  'apply',
  'dryRun',
];

/** What a report says besides its counts: a digest, a result, a hint. */
function restOf({ report, progress }: Job): readonly { readonly name: string; readonly text: string }[] {
  const counted = [...Object.keys(progress), ...saidOtherwise];
  const rest = Object.entries(report ?? {}).filter(([name, value]) => !counted.includes(name) && value !== null);
  return reportFacts(Object.fromEntries(rest));
}

/** A sentence, or a place and what is to be done there. */
function leftText(left: unknown): string {
  if (typeof left === 'string') return left;
  const { what = '', why = '' } = left as { readonly what?: string; readonly why?: string };
  return `${capital(what)}: ${why}`;
}

const listNames: Readonly<Record<string, string>> = { kept: 'What is kept', outOfReach: 'What is out of reach' };

/** What an erasure leaves, there and elsewhere: whoever asked for it is to be told. */
function Lists({ report }: Pick<Job, 'report'>): ReactNode {
  return Object.entries(report ?? {}).map(([name, value]: [string, unknown]) =>
    name in listNames && Array.isArray(value) && value.length > 0 ? (
      <div key={name}>
        <h3>{listNames[name]}</h3>
        <ul className={styles.list}>
          {value.map(leftText).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
    ) : null,
  );
}

/** What was looked for in vain. */
function NoneOf({ texts }: { readonly texts: readonly string[] }): ReactNode {
  if (texts.length === 0) return null;
  return (
    <details>
      <summary>Not applicable</summary>
      <ul className={styles.none}>
        {texts.map((text) => (
          <li key={text}>0 {text}</li>
        ))}
      </ul>
    </details>
  );
}

function Whole({ report }: Pick<Job, 'report'>): ReactNode {
  if (report === null || report === undefined) return null;
  return (
    <details>
      <summary>All of the report</summary>
      <JsonView value={report} what="the report" />
    </details>
  );
}

/** What the partner shows nobody. */
function Incomparable({ report }: Pick<Job, 'report'>): ReactNode {
  const { cannotBeReconciled: names = [] } = (report ?? {}) as { readonly cannotBeReconciled?: readonly string[] };
  if (names.length === 0) return null;
  return <p className={styles.quiet}>Not compared, as no call of the partner shows them: {names.join(', ')}.</p>;
}

/** How far a job is, what it has counted in words, and what that asks for: what needs somebody first. */
export function JobReport({ job }: { readonly job: Job }): ReactNode {
  const nowMs = useNowMs();
  const all = told(job);
  const listing = listingText(job);
  const rest = restOf(job);
  const agreement = agreementText(job);
  return (
    <Panel title={isEnded(job) ? 'What came of it' : 'How far it is'}>
      {job.state === 'done' ? null : <JobProgressBar job={job} nowMs={nowMs} />}
      {agreement === null ? null : <p className={styles.good}>{agreement}</p>}
      <ul className={styles.counts} aria-label="What it has counted" hidden={all.some.length === 0}>
        {all.some.map((counted) => (
          <CountLine key={counted.name} counted={counted} />
        ))}
      </ul>
      {listing === null ? null : <p className={listing.isWhole ? styles.quiet : styles.warning}>{listing.text}</p>}
      <Incomparable report={job.report} />
      <Lists report={job.report} />
      {rest.length === 0 ? null : <Facts items={rest.map(factOf)} />}
      {job.state === 'done' ? <NoneOf texts={all.none} /> : null}
      <Whole report={job.report} />
    </Panel>
  );
}
