import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { ActionButton } from '../components/action-button.js';
import { DocsLink } from '../components/docs-link.js';
import { Money } from '../components/money.js';
import { PageHeader } from '../components/page-header.js';
import { StatusBadge } from '../components/status-badge.js';
import { TimeText } from '../components/time-text.js';
import { useStats } from '../now/use-looked.js';
import type { SearchTexts } from '../shell/search-texts.js';
import { capital, operationName } from '../components/operation-words.js';
import { explain, failurePage, type FailureGroup, isPaused, replayObstacle } from './causes.js';
import styles from './failure-details.module.css';
import { FailureExample } from './failure-example.js';
import { FailureIntents } from './failure-intents.js';
import { Trend } from './trend.js';
import { useHourClock } from './use-hour-clock.js';

function Facts({ group }: { readonly group: FailureGroup }): ReactNode {
  const { intents, members, money, firstAt, lastAt } = group;
  const nowMs = useHourClock();
  return (
    <section aria-label="How many, and since when" className={styles.facts}>
      <dl className={styles.figures}>
        <div>
          <dt>Intents</dt>
          <dd>{intents.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>Members</dt>
          <dd>{members.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>At stake</dt>
          <dd>
            <Money of={money} />
          </dd>
        </div>
        <div>
          <dt>First</dt>
          <dd>
            <TimeText at={firstAt} />
          </dd>
        </div>
        <div>
          <dt>Last</dt>
          <dd>
            <TimeText at={lastAt} />
          </dd>
        </div>
      </dl>
      <div className={styles.trend}>
        <Trend group={group} nowMs={nowMs} isLarge />
      </div>
    </section>
  );
}

const nothingNamed = 'Nobody knows: their records name none.';

interface NamesProps {
  readonly group: FailureGroup;
  readonly kind: 'store' | 'source';
}

/** Each leads to those of the group that are of it, and may be held by itself, so that what comes from elsewhere goes on. */
function Names({ group: { program, operation, common, query }, kind }: NamesProps): ReactNode {
  const named = kind === 'store' ? common.stores : common.sources;
  if (named.length === 0) return nothingNamed;
  return named.map(({ name, intents }, index) => (
    <span key={name}>
      {index === 0 ? null : ', '}
      <Link to="/intents" search={{ ...query, [kind]: name }}>
        {name}
      </Link>{' '}
      {intents === common.intents ? '(all)' : intents.toLocaleString('en')}{' '}
      <Link to="/pauses" search={{ begin: 'pause', program, operation, factor: `${kind}:${name}` }}>
        Hold
        <span className="unseen">
          {' '}
          {kind} {name}
        </span>
      </Link>
    </span>
  ));
}

/** The first question of any incident. */
function Common({ group }: { readonly group: FailureGroup }): ReactNode {
  const { intents } = group.common;
  if (intents === 0) return null;
  return (
    <section aria-labelledby="common" className={styles.words}>
      <h2 id="common">What they have in common</h2>
      {intents < group.intents ? <p>Of the newest {intents.toLocaleString('en')}:</p> : null}
      <dl className={styles.origin}>
        <dt>Store</dt>
        <dd>
          <Names group={group} kind="store" />
        </dd>
        <dt>Source</dt>
        <dd>
          <Names group={group} kind="source" />
        </dd>
      </dl>
    </section>
  );
}

/** What the partner says, where it can be shown; who sees the rest, where not. */
function PartnerSays({ group: { fingerprint, wording } }: { readonly group: FailureGroup }): ReactNode {
  if (fingerprint === null) return null;
  return (
    <section aria-labelledby="wording" className={styles.words}>
      <h2 id="wording">What the partner says</h2>
      {wording === null ? (
        <p>
          Its words are masked: fewer than five members were told the same. An admin can unmask them in the story of the
          example below.
        </p>
      ) : (
        <blockquote className={styles.wording}>{wording}</blockquote>
      )}
    </section>
  );
}

function ReplayThese({ group }: { readonly group: FailureGroup }): ReactNode {
  const navigate = useNavigate();
  return (
    <ActionButton
      needs="operator"
      kind="main"
      obstacle={replayObstacle(group)}
      onClick={() => void navigate({ to: '/jobs/replay/new', search: group.query })}
    >
      Replay these {group.intents.toLocaleString('en')}
    </ActionButton>
  );
}

/** What else may be done to all of them: what is in doubt is settled, what was refused corrected. */
function OthersOfThese({ group }: { readonly group: FailureGroup }): ReactNode {
  const navigate = useNavigate();
  const { status, reason, intents, query } = group;
  if (status !== 'parked') return null;
  const kinds =
    reason === 'unknown-outcome' ? (['ask', 'settle', 'resolve', 'cancel'] as const) : (['correct', 'cancel'] as const);
  const names = {
    ask: 'Ask the partner about',
    settle: 'Settle by the partner’s list',
    resolve: 'Resolve',
    correct: 'Correct',
    cancel: 'Cancel',
  };
  return kinds.map((kind) => (
    <ActionButton
      key={kind}
      needs="operator"
      onClick={() => void navigate({ to: '/jobs/many/new', search: { ...query, kind } })}
    >
      {kind === 'settle' ? names[kind] : `${names[kind]} these ${intents.toLocaleString('en')}`}
    </ActionButton>
  ));
}

/** One cause: what it means, what to do, an example, and all that failed for it. */
export function FailureDetails({ group }: { readonly group: FailureGroup }): ReactNode {
  const { data: stats } = useStats();
  const { short, meaning, steps } = explain(group, { isPaused: isPaused(group, stats?.pauses ?? []) });
  const { program, operation, status, code, query } = group;
  const obstacle = status === 'parked' ? replayObstacle(group) : null;
  return (
    <>
      <p className={styles.back}>
        <Link to="/failures" search={({ group: _group, ...filters }: SearchTexts) => filters}>
          All failures
        </Link>
      </p>
      <PageHeader
        title={capital(short)}
        badge={<StatusBadge status={status} />}
        about={`${capital(operationName(operation))} of ${program}${code === null ? '' : `, last attempt: ${code}`}`}
      >
        <Link to="/intents" search={query}>
          Show among intents
        </Link>
        <OthersOfThese group={group} />
        <ReplayThese group={group} />
      </PageHeader>
      <div className={styles.parts}>
        <Facts group={group} />
        <PartnerSays group={group} />
        <Common group={group} />
        <section aria-labelledby="meaning" className={styles.words}>
          <h2 id="meaning">What it means</h2>
          <p>{meaning}</p>
          <h2>What to do</h2>
          <ol className={styles.steps}>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p>
            More: <DocsLink page={failurePage(group)} />
          </p>
          {obstacle === null ? null : <p className={styles.obstacle}>They cannot be replayed. {obstacle}</p>}
        </section>
        <FailureExample query={query} />
        <FailureIntents query={query} />
      </div>
    </>
  );
}
