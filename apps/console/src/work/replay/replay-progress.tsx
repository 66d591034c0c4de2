import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { Facts } from '../../components/facts.js';
import { Money } from '../../components/money.js';
import { Panel } from '../../components/panel.js';
import { canaryVerdict } from './canary.js';
import { itemStateNames, progressOf, type Sample, speedOf, speedText, withSample } from './progress.js';
import { isMoving } from '../job-kinds.js';
import { filterOfReplay, type Replay } from './replay-filter.js';
import styles from './replays.module.css';

const figure = (count: number): string => count.toLocaleString('en');

interface Watched {
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

/** How fast it went lately, as far as this page has watched it. */
function useSpeed({ state }: Replay, ended: number, atMs: number): number | null {
  const [{ atMs: before, samples }, setWatched] = useState<Watched>({ atMs: 0, samples: [] });
  if (before !== atMs) {
    setWatched({ atMs, samples: isMoving({ state }) ? withSample(samples, { atMs, ended }) : [] });
  }
  return speedOf(samples);
}

function Bar({ replay }: { readonly replay: Replay }): ReactNode {
  const { ended, percent, parts } = progressOf(replay);
  const { items } = replay;
  return (
    <>
      <div
        role="progressbar"
        aria-label="Come to an end"
        aria-valuemin={0}
        aria-valuemax={items}
        aria-valuenow={ended}
        aria-valuetext={`${figure(ended)} of ${figure(items)}`}
        className={styles.bar}
      >
        {parts.map(({ state, share }) => (
          <span key={state} data-state={state} style={{ flexGrow: share }} />
        ))}
      </div>
      <p className={styles.barWords}>
        <strong className={styles.percent}>{percent} %</strong> {figure(ended)} of {figure(items)}
      </p>
      <ul className={styles.legend}>
        {parts.map(({ state, count }) => (
          <li key={state} data-state={state}>
            {figure(count)} {itemStateNames[state]}
          </li>
        ))}
      </ul>
    </>
  );
}

function Verdict({ replay, isHeld }: Pick<ReplayProgressProps, 'replay' | 'isHeld'>): ReactNode {
  const { tone, title, meaning, steps } = canaryVerdict(replay, { isHeld });
  const failed = replay.byState.parked ?? 0;
  const { state } = replay;
  const mayDoAgain = state === 'stopped' || state === 'cancelled' || (failed > 0 && !isMoving(replay));
  return (
    <section className={styles.verdict} data-tone={tone} aria-label="How it goes">
      <div role="status">
        <h2>{title}</h2>
        <p>{meaning}</p>
      </div>
      {steps.length === 0 ? null : (
        <ol className={styles.steps}>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {failed > 0 ? (
        <p>
          <Link to="." search={{ result: 'parked' }}>
            Show {failed === 1 ? 'the one' : `the ${figure(failed)}`} that failed again
          </Link>
        </p>
      ) : null}
      {mayDoAgain ? (
        <p>
          <Link to="/jobs/replay/new" search={filterOfReplay(replay)}>
            Plan a new replay of the same selection
          </Link>
        </p>
      ) : null}
    </section>
  );
}

interface ReplayProgressProps {
  readonly replay: Replay;
  /** When that was read. */
  readonly atMs: number;
  /** A pause of delivery holds it, or a part of it. */
  readonly isHeld: boolean;
}

/** How far it is, how fast it goes, and what its canary says. */
export function ReplayProgress({ replay, atMs, isHeld }: ReplayProgressProps): ReactNode {
  const { ended } = progressOf(replay);
  const speed = useSpeed(replay, ended, atMs);
  const { members, money, state, canary, ratePerSecond } = replay;
  const isOver = state === 'done' || state === 'cancelled';
  return (
    <div className={styles.plan}>
      <Verdict replay={replay} isHeld={isHeld} />
      <Panel title="Progress" isTitleUnseen>
        <Bar replay={replay} />
        {isOver ? null : <p>{speedText(replay, isHeld ? 'held' : speed)}</p>}
        <Facts
          items={[
            { name: 'Members', value: figure(members ?? 0) },
            ...(money.length === 0 ? [] : [{ name: 'At stake', value: <Money of={money} /> }]),
            { name: 'Canary', value: canary ? 'yes: one, then ten, then the rest' : 'none' },
            ...(isOver ? [{ name: 'At most', value: `${ratePerSecond.toLocaleString('en')} a second` }] : []),
          ]}
        />
      </Panel>
    </div>
  );
}
