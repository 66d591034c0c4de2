import * as Menu from '@radix-ui/react-dropdown-menu';
import { type ReactNode } from 'react';

import { Icon } from '../components/icon.js';
import { useMe } from '../session/session-store.js';
import { signOut } from '../session/shared-session.js';
import styles from './menu.module.css';
import { changePreferences, type Preferences, usePreferences } from './preferences.js';

interface Option<T extends string> {
  readonly value: T;
  readonly text: string;
}

const themes: readonly Option<Preferences['theme']>[] = [
  { value: 'system', text: 'As the system' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];
const times: readonly Option<Preferences['times']>[] = [
  { value: 'relative', text: 'How long ago' },
  { value: 'absolute', text: 'Date and time' },
];

interface ChoiceProps<T extends string> {
  readonly title: string;
  readonly options: readonly Option<T>[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ title, options, value, onChoose }: ChoiceProps<T>): ReactNode {
  return (
    <Menu.RadioGroup value={value} onValueChange={(chosen) => onChoose(chosen as T)} aria-label={title}>
      <Menu.Label className={styles.label}>{title}</Menu.Label>
      {options.map(({ value: each, text }) => (
        <Menu.RadioItem key={each} value={each} className={styles.item}>
          <span className={styles.sign}>
            <Menu.ItemIndicator>
              <Icon name="check" />
            </Menu.ItemIndicator>
          </span>
          {text}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

/** Who is signed in, how it looks to them, and the way out. */
export function UserMenu(): ReactNode {
  const { name, role, subject } = useMe();
  const { theme, times: shownTimes } = usePreferences();
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.trigger} data-kind="plain" aria-label={`${name}, ${role}: account and theme`}>
        <Icon name="user" />
        <span className={styles.words}>
          {name} <span className={styles.role}>{role}</span>
        </span>
        <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className={styles.menu} align="end" sideOffset={4}>
          <Menu.Label className={styles.label}>
            {name}, {role}
            {subject === null ? null : <div>{subject}</div>}
          </Menu.Label>
          <Menu.Separator className={styles.line} />
          <Choice
            title="Theme"
            options={themes}
            value={theme}
            onChoose={(chosen) => changePreferences({ theme: chosen })}
          />
          <Menu.Separator className={styles.line} />
          <Choice
            title="Times"
            options={times}
            value={shownTimes}
            onChoose={(chosen) => changePreferences({ times: chosen })}
          />
          <Menu.Separator className={styles.line} />
          <Menu.Item className={styles.item} onSelect={() => signOut()}>
            <span className={styles.sign} />
            Sign out
          </Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
