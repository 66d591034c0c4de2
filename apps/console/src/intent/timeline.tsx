import { type ReactNode } from 'react';

import { MaskedValue } from '../components/masked-value.js';
import { absoluteText, absoluteTextWithZone, shortDurationText } from '../components/time-words.js';
import { usePreferences } from '../shell/preferences.js';
import { Evidence, Exchange, Fold } from './exchange.js';
import { type Attempt, type Intent, phaseText } from './intent-words.js';
import { type Moment, storyOf, type Tone } from './story.js';
import styles from './timeline.module.css';

const secondMs = 1_000;
const dayChars = 'yyyy-mm-dd '.length;

/** Told by its shape as well as by its colour. */
const signs: Readonly<Record<Tone | 'next', string>> = {
  source: 'M5 8h6',
  calm: 'M8 7.900v.2',
  good: 'M5 8.200l2.200 2.200L11.200 6',
  bad: 'M8 5v3.600M8 11v.1',
  doubt: 'M6.300 6.300a1.800 1.800 0 1 1 2.500 1.900c-.6.3-.8.6-.8 1.200M8 11.400v.1',
  person: 'M8 8a1.700 1.700 0 1 0 0-3.400A1.700 1.700 0 0 0 8 8zM5 11.600c.4-1.700 1.500-2.600 3-2.600s2.600.9 3 2.600',
  next: 'M6.500 5.500L9.500 8l-3 2.500',
};

function Node({ tone }: { readonly tone: Tone | 'next' }): ReactNode {
  return (
    <svg className={styles.node} data-tone={tone} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <circle cx="8" cy="8" r="7" />
      <path d={signs[tone]} />
    </svg>
  );
}

/** The time of day to the millisecond: what happened in which order is read here. */
function Clock({ at }: { readonly at: string }): ReactNode {
  const { timeZone } = usePreferences();
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={absoluteTextWithZone(atMs, timeZone)}>
      {absoluteText(atMs, timeZone).slice(dayChars)}
      <span className={styles.fraction}>.{`${atMs % secondMs}`.padStart(3, '0')}</span>
    </time>
  );
}

function AttemptDetails({ attempt }: { readonly attempt: Attempt }): ReactNode {
  const { durationMs, phase, request, response } = attempt;
  const facts = [durationMs === null ? null : `Took ${shortDurationText(durationMs)}.`, phaseText(phase)];
  const text = facts.filter((fact) => fact !== null).join(' ');
  return (
    <>
      {text === '' ? null : <p className={styles.quiet}>{text}</p>}
      <Exchange request={request} response={response} />
    </>
  );
}

/** The day, where it is another one than that of the point before. */
function Day({ at, before }: { readonly at: string; readonly before: string | null }): ReactNode {
  const { timeZone } = usePreferences();
  const dayOf = (moment: string): string => absoluteText(Date.parse(moment), timeZone).slice(0, dayChars - 1);
  const isSame = before !== null && dayOf(before) === dayOf(at);
  return isSame ? null : <span className={styles.after}>{dayOf(at)}</span>;
}

interface PointProps {
  readonly moment: Moment;
  /** When the point before was; null of the first. */
  readonly before: string | null;
  readonly children?: ReactNode;
}

function Point({ moment, before, children }: PointProps): ReactNode {
  const { tone, title, words, at, afterMs, said, attempt, evidence } = moment;
  return (
    <li className={styles.point}>
      <div className={styles.when}>
        <Clock at={at} />
        <Day at={at} before={before} />
        {afterMs === null || afterMs === 0 ? null : <span className={styles.after}>+{shortDurationText(afterMs)}</span>}
      </div>
      <Node tone={tone} />
      <div className={styles.what}>
        <h3>{title}</h3>
        {words === null ? null : <p>{words}</p>}
        {said === null ? null : (
          <p className={styles.said}>
            <b>{said.by}</b>: <MaskedValue text={said.reason} />
          </p>
        )}
        {attempt === null ? null : <AttemptDetails attempt={attempt} />}
        <Evidence evidence={evidence} />
        {children}
      </div>
    </li>
  );
}

function Documents({ intent }: { readonly intent: Intent }): ReactNode {
  const { sourceRecord, command } = intent;
  return (
    <>
      {sourceRecord === null ? null : (
        <>
          <Fold name="Record, headers" value={sourceRecord.headers} what="the headers of the record" />
          <Fold name="Record, value" value={sourceRecord.value} what="the value of the record" />
        </>
      )}
      {command === null ? null : (
        <Fold name="What the partner is to be sent" value={command} what="what the partner is to be sent" />
      )}
    </>
  );
}

interface TimelineProps {
  readonly intent: Intent;
  /** What happens next, in a few words. */
  readonly nextTitle: string;
  readonly isPaused: boolean;
}

/** The story of an intent from the record on, with the time between its points; it ends with what comes next. */
export function Timeline({ intent, nextTitle, isPaused }: TimelineProps): ReactNode {
  const { timeZone } = usePreferences();
  return (
    <ol className={styles.timeline}>
      {storyOf(intent, { timeZone, isPaused }).map((moment, index, story) => (
        <Point key={moment.key} moment={moment} before={story[index - 1]?.at ?? null}>
          {moment.key === 'routed' ? <Documents intent={intent} /> : null}
        </Point>
      ))}
      <li className={styles.point}>
        <div className={styles.when}>now</div>
        <Node tone="next" />
        <div className={styles.what}>
          <h3>{nextTitle}</h3>
        </div>
      </li>
    </ol>
  );
}
