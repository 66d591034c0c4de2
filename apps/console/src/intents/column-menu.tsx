import * as Menu from '@radix-ui/react-dropdown-menu';
import { type ReactNode } from 'react';

import type { Column } from '../components/data-table.js';
import { Icon } from '../components/icon.js';
import menu from '../shell/menu.module.css';
import { changePreferences, usePreferences, usualIntentColumns } from '../shell/preferences.js';
import { fixedColumns } from './intent-columns.js';
import type { IntentRow } from './live-head.js';

/** Which columns the list has, kept in this browser. */
export function ColumnMenu({ columns }: { readonly columns: readonly Column<IntentRow>[] }): ReactNode {
  const { intentColumns: shown } = usePreferences();
  const turn = (id: string, isShown: boolean): void => {
    changePreferences({ intentColumns: isShown ? [...shown, id] : shown.filter((one) => one !== id) });
  };
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger>
        Columns <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className={menu.menu} align="end" sideOffset={4}>
          {columns
            .filter(({ id }) => !fixedColumns.includes(id))
            .map(({ id, header }) => (
              <Menu.CheckboxItem
                key={id}
                className={menu.item}
                checked={shown.includes(id)}
                onCheckedChange={(isShown) => turn(id, isShown)}
                onSelect={(event) => event.preventDefault()}
              >
                <span className={menu.sign}>
                  <Menu.ItemIndicator>
                    <Icon name="check" />
                  </Menu.ItemIndicator>
                </span>
                {header}
              </Menu.CheckboxItem>
            ))}
          <Menu.Separator className={menu.line} />
          <Menu.Item className={menu.item} onSelect={() => changePreferences({ intentColumns: usualIntentColumns })}>
            <span className={menu.sign} />
            The usual ones
          </Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
