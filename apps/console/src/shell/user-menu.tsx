import * as Menu from '@radix-ui/react-dropdown-menu';
import { type ReactNode } from 'react';

import { Icon } from '../components/icon.js';
import { endSession, useMe } from '../session/session-store.js';
import styles from './menu.module.css';
import { changePreferences, type Preferences, usePreferences } from './preferences.js';

const themes: readonly { readonly value: Preferences['theme']; readonly text: string }[] = [
  { value: 'system', text: 'As the system' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];

/** Who is signed in, how it looks to them, and the way out. */
export function UserMenu(): ReactNode {
  const { name, role, subject } = useMe();
  const { theme } = usePreferences();
  return (
    <Menu.Root>
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
          <Menu.Label className={styles.label}>Theme</Menu.Label>
          <Menu.RadioGroup
            value={theme}
            onValueChange={(value) => changePreferences({ theme: value as Preferences['theme'] })}
          >
            {themes.map(({ value, text }) => (
              <Menu.RadioItem key={value} value={value} className={styles.item}>
                <span className={styles.sign}>
                  <Menu.ItemIndicator>
                    <Icon name="check" />
                  </Menu.ItemIndicator>
                </span>
                {text}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Separator className={styles.line} />
          <Menu.Item className={styles.item} onSelect={() => endSession(null)}>
            <span className={styles.sign} />
            Sign out
          </Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
