import type { IconName } from '../components/icon.js';

type ScreenPath = '/' | '/intents' | '/failures' | '/quarantine' | '/pauses' | '/jobs' | '/audit' | '/settings';

interface Screen {
  readonly to: ScreenPath;
  readonly title: string;
  readonly icon: IconName;
  /** Pressed after `g`. */
  readonly key: string;
}

interface ScreenGroup {
  readonly name: string;
  readonly screens: readonly Screen[];
}

/** What the navigation, the palette and the help list. */
export const screenGroups: readonly ScreenGroup[] = [
  {
    name: 'Look',
    screens: [
      { to: '/', title: 'Now', icon: 'now', key: 'n' },
      { to: '/intents', title: 'Intents', icon: 'intents', key: 'i' },
    ],
  },
  {
    name: 'Stuck',
    screens: [
      { to: '/failures', title: 'Failures', icon: 'failures', key: 'f' },
      { to: '/quarantine', title: 'Quarantine', icon: 'quarantine', key: 'q' },
    ],
  },
  {
    name: 'Work',
    screens: [
      { to: '/pauses', title: 'Pauses', icon: 'pauses', key: 'p' },
      { to: '/jobs', title: 'Jobs', icon: 'jobs', key: 'j' },
    ],
  },
  {
    name: 'Record',
    screens: [
      { to: '/audit', title: 'Audit', icon: 'audit', key: 'a' },
      { to: '/settings', title: 'Settings', icon: 'settings', key: 's' },
    ],
  },
];
