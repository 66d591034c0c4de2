import { type ReactNode } from 'react';

import { Panel } from '../components/panel.js';
import { changePreferences, type Preferences, usePreferences } from '../shell/preferences.js';
import styles from './appearance-panel.module.css';

type ChosenByOne = Exclude<keyof Preferences, 'intentColumns'>;

interface Choice<Name extends ChosenByOne> {
  readonly name: Name;
  readonly title: string;
  readonly options: readonly (readonly [value: Preferences[Name], text: string])[];
}

const theme: Choice<'theme'> = {
  name: 'theme',
  title: 'Theme',
  options: [
    ['system', 'As the system'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ],
};
const timeZone: Choice<'timeZone'> = {
  name: 'timeZone',
  title: 'Time zone',
  options: [
    ['local', `Local (${Intl.DateTimeFormat().resolvedOptions().timeZone})`],
    ['utc', 'UTC'],
  ],
};
const times: Choice<'times'> = {
  name: 'times',
  title: 'Times in lists',
  options: [
    ['relative', 'How long ago'],
    ['absolute', 'Date and time'],
  ],
};

function ChoiceField<Name extends ChosenByOne>({ name, title, options }: Choice<Name>): ReactNode {
  const chosen = usePreferences()[name];
  return (
    <fieldset className={styles.choice}>
      <legend>{title}</legend>
      {options.map(([value, text]) => (
        <label key={value} className={styles.option}>
          <input
            type="radio"
            name={name}
            checked={chosen === value}
            onChange={() => changePreferences({ [name]: value })}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** How somebody likes to look at things, in this browser. */
export function AppearancePanel(): ReactNode {
  return (
    <Panel title="Appearance" about="Kept in this browser, for you alone.">
      <div className={styles.choices}>
        <ChoiceField {...theme} />
        <ChoiceField {...timeZone} />
        <ChoiceField {...times} />
      </div>
    </Panel>
  );
}
