import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { capital } from '../components/operation-words.js';
import { StatusBadge } from '../components/status-badge.js';
import { TimeText } from '../components/time-text.js';
import { asideText, intentName, type LanePicture, type MemberIntent } from './lane-picture.js';
import styles from './member.module.css';

/** So many of each part are drawn. */
const drawnMax = 6;
const figure = (count: number): string => count.toLocaleString('en');

interface PlaceProps {
  readonly intent: MemberIntent;
  /** Nothing behind it goes. */
  readonly isHoldup: boolean;
}

function Place({ intent, isHoldup }: PlaceProps): ReactNode {
  const { id, status, purchaseId, recordedAt } = intent;
  return (
    <li className={styles.place} data-status={status} data-holdup={isHoldup}>
      <Link to="/intents/$id" params={{ id }}>
        {capital(intentName(intent))}
      </Link>
      <StatusBadge status={status} />
      <span className={styles.about}>
        {purchaseId ?? ''} <TimeText at={recordedAt} />
      </span>
    </li>
  );
}

interface PartProps {
  readonly name: string;
  readonly intents: readonly MemberIntent[];
  /** Not drawn, at which end. */
  readonly more?: { readonly count: number; readonly at: 'begin' | 'end'; readonly words: string };
  readonly holdup: string | null;
  readonly none: string;
}

function Part({ name, intents, more, holdup, none }: PartProps): ReactNode {
  const rest =
    more === undefined || more.count === 0 ? null : (
      <li className={styles.more}>
        {figure(more.count)} {more.words}
      </li>
    );
  return (
    <section className={styles.part} aria-label={name}>
      <h3 className={styles.partName}>{name}</h3>
      {intents.length === 0 && rest === null ? <p className={styles.about}>{none}</p> : null}
      <ol className={styles.places}>
        {more?.at === 'begin' ? rest : null}
        {intents.map((intent) => (
          <Place key={intent.id} intent={intent} isHoldup={intent.id === holdup} />
        ))}
        {more?.at === 'end' ? rest : null}
      </ol>
    </section>
  );
}

function Holdup({ holdup }: { readonly holdup: NonNullable<LanePicture['holdup']> }): ReactNode {
  const { tone, title, meaning, intent } = holdup;
  return (
    <div className={styles.holdup} data-tone={tone} role="status">
      <p className={styles.holdupTitle}>{title}</p>
      <p>{meaning}</p>
      {intent === null ? null : (
        <p>
          <Link to="/intents/$id" params={{ id: intent }}>
            {tone === 'stuck' ? 'Open it and deal with it' : 'Open it'}
          </Link>
        </p>
      )}
    </div>
  );
}

interface AsideProps {
  readonly picture: LanePicture;
}

/** What is parked while the queue went on: it stands first, for nobody else will do anything about it. */
function AsideParked({ picture }: AsideProps): ReactNode {
  const { aside, holdup } = picture;
  const text = asideText(picture);
  if (text === null) return null;
  return (
    <div className={styles.holdup} data-tone="stuck" role="status">
      <p className={styles.holdupTitle}>{text.title}</p>
      <p>{text.meaning}</p>
      <Part
        name="Parked, while the queue went on"
        intents={aside.slice(-drawnMax)}
        holdup={holdup?.intent ?? null}
        more={{ count: Math.max(0, aside.length - drawnMax), at: 'begin', words: 'earlier ones' }}
        none=""
      />
    </div>
  );
}

function HowItStands({ picture }: AsideProps): ReactNode {
  const { holdup, aside } = picture;
  if (holdup !== null) return <Holdup holdup={holdup} />;
  return aside.length > 0 ? null : (
    <p className={styles.rest}>Nothing is left to send: this member’s queue is at rest.</p>
  );
}

/** One member's queue: what is delivered, what is under way, and what waits behind it. */
export function LaneQueue({ picture }: { readonly picture: LanePicture }): ReactNode {
  const { settled, older, underWay, waiting, alsoWaiting, holdup } = picture;
  const shownSettled = settled.slice(-drawnMax);
  const shownWaiting = waiting.slice(0, drawnMax);
  const first = holdup?.intent ?? null;
  return (
    <>
      <AsideParked picture={picture} />
      <HowItStands picture={picture} />
      <div className={styles.queue}>
        <Part
          name="Delivered"
          intents={shownSettled}
          holdup={first}
          more={{ count: settled.length - shownSettled.length + older, at: 'begin', words: 'earlier ones' }}
          none="Nothing yet"
        />
        <Part name="Under way" intents={underWay} holdup={first} none="Nothing is under way" />
        <Part
          name="Waiting"
          intents={shownWaiting}
          holdup={first}
          more={{ count: waiting.length - shownWaiting.length + alsoWaiting, at: 'end', words: 'more behind them' }}
          none="Nothing waits"
        />
      </div>
    </>
  );
}
