import { type ReactNode, useState } from 'react';

import { clockChangeFlaw, inputText, momentOf } from '../components/time-input.js';
import { usePreferences } from '../shell/preferences.js';
import { Choice, TextField } from './work-fields.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const morning = '06:00';

const choices = [
  { value: 'lifted', text: 'Until somebody resumes it' },
  { value: 'hour', text: 'For 1 hour' },
  { value: 'morning', text: `Until ${morning} tomorrow` },
  { value: 'time', text: 'Until a time' },
] as const;

interface UntilChosen {
  /** As the API takes it, counted from now; undefined: somebody has to lift it. */
  readonly until: () => string | undefined;
  /** What is to be said first; null: nothing. */
  readonly missing: string | null;
  readonly fields: ReactNode;
}

type Zone = ReturnType<typeof usePreferences>['timeZone'];

function tomorrow(zone: Zone): string | undefined {
  const day = inputText(new Date(Date.now() + dayMs).toISOString(), zone).slice(0, 'yyyy-mm-dd'.length);
  return momentOf(`${day}T${morning}`, zone) ?? undefined;
}

function untilOf(choice: string, typed: string, zone: Zone): string | undefined {
  switch (choice) {
    case 'hour':
      return new Date(Date.now() + hourMs).toISOString();
    case 'morning':
      return tomorrow(zone);
    case 'time':
      return momentOf(typed, zone) ?? undefined;
    default:
      return undefined;
  }
}

function missingOf(choice: string, typed: string, zone: Zone): string | null {
  if (choice !== 'time') return null;
  const moment = momentOf(typed, zone);
  if (moment === null) return 'Say until when first.';
  return Date.parse(moment) > Date.now() ? clockChangeFlaw(typed, zone) : 'That time is over.';
}

/** When a pause ends by itself. */
export function useUntil(): UntilChosen {
  const zone = usePreferences().timeZone;
  const [choice, setChoice] = useState<string>('lifted');
  const [typed, setTyped] = useState('');
  return {
    until: () => untilOf(choice, typed, zone),
    missing: missingOf(choice, typed, zone),
    fields: (
      <>
        <Choice label="How long" value={choice} options={choices} onChange={setChoice} />
        {choice === 'time' ? (
          <TextField
            label="Until"
            about={zone === 'utc' ? 'In UTC.' : 'By this browser’s clock.'}
            type="datetime-local"
            value={typed}
            onChange={setTyped}
          />
        ) : null}
      </>
    ),
  };
}
