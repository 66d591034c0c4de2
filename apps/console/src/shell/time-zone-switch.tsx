import { type ReactNode } from 'react';

import { Icon } from '../components/icon.js';
import { changePreferences, usePreferences } from './preferences.js';

const localName = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Colleagues in other places, and logs, speak in UTC. */
export function TimeZoneSwitch(): ReactNode {
  const { timeZone } = usePreferences();
  const other = timeZone === 'utc' ? 'local' : 'utc';
  const shown = timeZone === 'utc' ? 'UTC' : localName;
  return (
    <button
      type="button"
      data-kind="plain"
      title={`Times are shown in ${shown}. Show them in ${other === 'utc' ? 'UTC' : localName}`}
      onClick={() => changePreferences({ timeZone: other })}
    >
      <Icon name="time" />
      <span>{timeZone === 'utc' ? 'UTC' : 'Local'}</span>
      <span className="unseen">time. Switch to {other === 'utc' ? 'UTC' : 'local time'}</span>
    </button>
  );
}
