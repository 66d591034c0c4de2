import { type ReactNode, useId } from 'react';

import { useMe } from '../../session/session-store.js';
import { whyNot } from '../../session/permissions.js';
import { paceText } from './forecast.js';
import styles from './replays.module.css';

/** As the daemon takes it. */
const rateMax = 1_000;

export interface Pace {
  readonly ratePerSecond: number;
  readonly isCanary: boolean;
}

export const isPace = ({ ratePerSecond }: Pace): boolean => ratePerSecond > 0 && ratePerSecond <= rateMax;

interface PaceFieldsProps {
  readonly pace: Pace;
  readonly onChange: (pace: Pace) => void;
  /** How many are sent. */
  readonly count: number;
}

/** How fast, and whether a few go first. */
export function PaceFields({ pace, onChange, count }: PaceFieldsProps): ReactNode {
  const id = useId();
  const { ratePerSecond, isCanary } = pace;
  return (
    <div className={styles.fields}>
      <div className={styles.field}>
        <label htmlFor={`${id}-rate`}>At most, a second</label>
        <input
          id={`${id}-rate`}
          type="number"
          min={0.1}
          max={rateMax}
          step="any"
          required
          className={styles.rate}
          value={Number.isNaN(ratePerSecond) ? '' : ratePerSecond}
          aria-invalid={!isPace(pace)}
          aria-describedby={`${id}-pace`}
          onChange={(event) => onChange({ ...pace, ratePerSecond: event.target.valueAsNumber })}
        />
        <p id={`${id}-pace`} className={styles.about}>
          {paceText({ ...pace, count })}
        </p>
      </div>
      <Choice
        name="Canary"
        isChosen={isCanary}
        onChange={(chosen) => onChange({ ...pace, isCanary: chosen })}
        about="One goes first, then ten, then the rest. It stops by itself when the first fails again, two of the ten do, or more than half of the rest."
      />
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
  readonly about: string;
  /** Why it cannot be chosen; null: it can. */
  readonly obstacle?: string | null;
}

function Choice({ name, isChosen, onChange, about, obstacle = null }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className={styles.choice}>
      <input
        id={id}
        type="checkbox"
        checked={isChosen}
        aria-disabled={obstacle !== null}
        aria-describedby={`${id}-about`}
        onChange={(event) => {
          if (obstacle === null) onChange(event.target.checked);
        }}
      />
      <div>
        <label htmlFor={id}>{name}</label>
        <p id={`${id}-about`} className={styles.about}>
          {about}
          {obstacle === null ? null : <strong> {obstacle}</strong>}
        </p>
      </div>
    </div>
  );
}

interface ForceFieldProps {
  readonly isForced: boolean;
  readonly onChange: (isForced: boolean) => void;
}

export function ForceField({ isForced, onChange }: ForceFieldProps): ReactNode {
  const me = useMe();
  return (
    <Choice
      name="Force"
      isChosen={isForced}
      onChange={onChange}
      about="Also those that were requeued five times and parked again: find out first why they come back. The audit shows it."
      obstacle={whyNot(me, 'admin')}
    />
  );
}

interface ReasonFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** As the API takes reasons. */
const reasonCharsMax = 1_000;
const reasonCharsMin = 3;
export const isReason = (text: string): boolean => text.trim().length >= reasonCharsMin;

export function ReasonField({ value, onChange }: ReasonFieldProps): ReactNode {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Why</label>
      <textarea
        id={id}
        rows={2}
        required
        maxLength={reasonCharsMax}
        value={value}
        placeholder="the partner has created the attribute"
        aria-describedby={`${id}-about`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-about`} className={styles.about}>
        Kept in the audit and shown to colleagues: nothing personal.
      </p>
    </div>
  );
}
