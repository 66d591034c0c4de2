import * as Menu from '@radix-ui/react-dropdown-menu';
import { type ReactNode, useState } from 'react';

import { apiFile } from '../api/client.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Icon } from '../components/icon.js';
import { announce } from '../shell/announcements.js';
import menu from '../shell/menu.module.css';
import type { IntentFilters } from './filters.js';

const formats = [
  { format: 'csv', text: 'CSV, for a spreadsheet' },
  { format: 'jsonl', text: 'JSON lines' },
] as const;

/** The last line of a file that is not whole is in so much of its end. */
const endBytes = 1_000;
const notAll = /^(?:not all:|\{"nextCursor")/;

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

async function isWhole(file: Blob): Promise<boolean> {
  const lines = (await file.slice(-endBytes).text()).trimEnd().split('\n');
  return !notAll.test(lines.at(-1) ?? '');
}

/** What the list shows, as a file: all that fit the filters, in its order, masked as it is. */
export function DownloadMenu({ query }: { readonly query: IntentFilters }): ReactNode {
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const download = async (format: 'csv' | 'jsonl'): Promise<void> => {
    setIsRunning(true);
    setError(null);
    try {
      const file = await apiFile('/intents/download', { query: { ...query, format } });
      save(file, `intents.${format}`);
      announce((await isWhole(file)) ? 'Downloaded' : 'Downloaded in part: its last line says where the rest begins');
    } catch (problem) {
      setError(problem);
    }
    setIsRunning(false);
  };
  return (
    <>
      <Menu.Root modal={false}>
        <Menu.Trigger disabled={isRunning}>
          {isRunning ? 'Downloading' : 'Download'} <Icon name="down" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className={menu.menu} align="end" sideOffset={4}>
            {formats.map(({ format, text }) => (
              <Menu.Item key={format} className={menu.item} onSelect={() => void download(format)}>
                {text}
              </Menu.Item>
            ))}
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      {error === null ? null : <ErrorPanel error={error} />}
    </>
  );
}
