import { Link } from '@tanstack/react-router';
import { type CSSProperties, type ReactNode } from 'react';

import { moneyText } from '../components/money-words.js';
import { Money } from '../components/money.js';
import { durationText, shortDurationText } from '../components/time-words.js';
import { isPaused } from '../failures/causes.js';
import styles from './figure-tiles.module.css';
import { atRisk, oldestOf, rateText, slowestOf } from './figures.js';
import { countOf, countText, standing, type Stats } from './problem.js';

interface FigureTilesProps {
  readonly stats: Stats;
  readonly delivered: { readonly count: number; readonly isRate: boolean } | null;
  readonly isWhole: boolean;
}

interface TileProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note: ReactNode;
  /** Longer than a number: it is written so small that so many letters have room in a line. */
  readonly letters?: number;
  readonly to?: '/intents' | '/failures' | '/quarantine';
  readonly search?: Readonly<Record<string, string>>;
}

/** A figure; its name leads to what it counts. */
function Tile({ name, value, note, letters, to, search = {} }: TileProps): ReactNode {
  return (
    <div className={styles.tile}>
      <dt className={styles.name}>
        {to === undefined ? (
          name
        ) : (
          <Link to={to} search={search} className={styles.link}>
            {name}
          </Link>
        )}
      </dt>
      <dd className={styles.value} data-long={letters !== undefined} style={{ '--letters': letters } as CSSProperties}>
        {value}
      </dd>
      <dd className={styles.note}>{note}</dd>
    </div>
  );
}

function OldestTile({ stats }: { readonly stats: Stats }): ReactNode {
  const oldest = oldestOf(stats);
  if (oldest === null) return <Tile name="Oldest pending" value="–" note="nothing is pending" />;
  return (
    <Tile
      name="Oldest pending"
      value={durationText(oldest.seconds * 1_000)}
      note={oldest.isPart ? `${oldest.program}, at least` : oldest.program}
      to="/intents"
      search={{ status: 'pending', program: oldest.program }}
    />
  );
}

function RiskTile({ stats }: { readonly stats: Stats }): ReactNode {
  const [first, ...others] = atRisk(stats);
  return (
    <Tile
      name="Value at risk"
      {...(first === undefined ? {} : { letters: moneyText(first).length })}
      value={first === undefined ? '–' : <Money of={first} />}
      note={
        others.length === 0 ? (
          'parked or unknown'
        ) : (
          <>
            and <Money of={others} />
          </>
        )
      }
      to="/failures"
    />
  );
}

/** What all processes know of the partner together; of several programs the slowest. */
function PartnerTile({ stats }: { readonly stats: Stats }): ReactNode {
  const { partner } = stats;
  const resting = partner.filter(({ breaker }) => breaker !== 'closed');
  const slowest = slowestOf(stats);
  const name = partner.length > 1 && slowest !== null ? `, ${slowest.program}` : '';
  const calm =
    slowest === null ? 'no call in the last minute' : `p95 ${shortDurationText(slowest.latencyMs.p95)}${name}`;
  const note = resting.length === 0 ? calm : `rests for ${resting.map(({ program }) => program).join(', ')}`;
  return (
    <Tile
      name="Partner answers in"
      value={slowest === null ? '–' : shortDurationText(slowest.latencyMs.p50)}
      note={note}
    />
  );
}

function LagTile({ stats: { lag } }: { readonly stats: Stats }): ReactNode {
  if (lag === null) return <Tile name="Consumer lag" value="–" note="not known yet" />;
  const age = lag.oldestSeconds === null ? '' : `, ${durationText(lag.oldestSeconds * 1_000)} at most`;
  return <Tile name="Consumer lag" value={countText(lag.records)} note={`records in Kafka${age}`} />;
}

function blockedNote({ blockedLanes }: Stats): string {
  const lanes = blockedLanes.reduce((sum, blocked) => sum + blocked.lanes, 0);
  const behind = blockedLanes.reduce((sum, blocked) => sum + blocked.behind, 0);
  return lanes === 0 ? 'they hold nobody up' : `${countOf(lanes, 'member')} blocked, ${countText(behind)} behind`;
}

/** Of what is paused no evidence is looked for. */
function evidenceNote({ intents, pauses }: Stats): string {
  const unknown = intents.filter(({ status, intents: count }) => status === 'unknown' && count > 0);
  const held = unknown.filter((of) => isPaused(of, pauses)).reduce((sum, of) => sum + of.intents, 0);
  if (held === 0) return 'evidence is looked for';
  const all = unknown.reduce((sum, of) => sum + of.intents, 0);
  return held === all ? 'paused: no evidence is looked for' : `${countText(held)} of them paused`;
}

/** What there is of everything, at a glance. */
export function FigureTiles({ stats, delivered, isWhole }: FigureTilesProps): ReactNode {
  const sending = standing(stats, ['delivering']);
  const setAside = stats.quarantine.reduce((sum, { records }) => sum + records, 0);
  const status = (name: string): Readonly<Record<string, string>> => ({ status: name });
  return (
    <dl className={styles.tiles}>
      <Tile name="Events in" value={rateText(stats, 'recordedPerSecond') ?? '–'} note="recorded a minute" />
      <Tile
        name="Delivered"
        value={delivered === null ? '–' : countText(delivered.count)}
        note={delivered?.isRate === false ? 'in the last minute' : 'settled a minute'}
        to="/intents"
        search={status('delivered')}
      />
      <Tile
        name="Pending"
        value={countText(standing(stats, ['pending', 'delivering']))}
        note={sending === 0 ? 'none is being sent' : `${countText(sending)} being sent`}
        to="/intents"
        search={status('pending')}
      />
      <Tile
        name="Waiting"
        value={countText(standing(stats, ['waiting']))}
        note="for their member"
        to="/intents"
        search={status('waiting')}
      />
      <Tile
        name="Unknown"
        value={countText(standing(stats, ['unknown']))}
        note={evidenceNote(stats)}
        to="/failures"
        search={status('unknown')}
      />
      <Tile
        name="Parked"
        value={countText(standing(stats, ['parked']))}
        note={blockedNote(stats)}
        to="/failures"
        search={status('parked')}
      />
      <OldestTile stats={stats} />
      <RiskTile stats={stats} />
      <PartnerTile stats={stats} />
      {isWhole ? <LagTile stats={stats} /> : null}
      {isWhole ? (
        <Tile name="Quarantine" value={countText(setAside)} note="records set aside" to="/quarantine" />
      ) : null}
    </dl>
  );
}
