import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';

import { NotFound } from './shell/not-found.js';
import { part } from './shell/parts.js';
import { ScreenError } from './shell/screen-error.js';
import { parseSearch, textOnly, writeSearch } from './shell/search-texts.js';
import { Shell } from './shell/shell.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, validateSearch: textOnly });
const within = { getParentRoute: () => root };

/** Each screen is a file of its own. */
const routeTree = root.addChildren([
  createRoute({
    ...within,
    path: '/',
    component: lazyRouteComponent(
      part(async () => import('./now/now-screen.js')),
      'NowScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/intents',
    component: lazyRouteComponent(
      part(async () => import('./intents/intents-screen.js')),
      'IntentsScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/intents/$id',
    component: lazyRouteComponent(
      part(async () => import('./intent/intent-screen.js')),
      'IntentScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/members/$program/$memberId',
    component: lazyRouteComponent(
      part(async () => import('./member/member-screen.js')),
      'MemberScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/failures',
    component: lazyRouteComponent(
      part(async () => import('./failures/failures-screen.js')),
      'FailuresScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/jobs/replay/new',
    component: lazyRouteComponent(
      part(async () => import('./work/replay/new-replay-screen.js')),
      'NewReplayScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/jobs/many/new',
    component: lazyRouteComponent(
      part(async () => import('./work/many/new-many-screen.js')),
      'NewManyScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/quarantine',
    component: lazyRouteComponent(
      part(async () => import('./quarantine/quarantine-screen.js')),
      'QuarantineScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/quarantine/$id',
    component: lazyRouteComponent(
      part(async () => import('./quarantine/record-screen.js')),
      'RecordScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/pauses',
    component: lazyRouteComponent(
      part(async () => import('./work/pauses-screen.js')),
      'PausesScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/jobs',
    component: lazyRouteComponent(
      part(async () => import('./work/jobs-screen.js')),
      'JobsScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/jobs/$kind/$id',
    component: lazyRouteComponent(
      part(async () => import('./work/job-screen.js')),
      'JobScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/audit',
    component: lazyRouteComponent(
      part(async () => import('./audit/audit-screen.js')),
      'AuditScreen',
    ),
  }),
  createRoute({
    ...within,
    path: '/settings',
    component: lazyRouteComponent(
      part(async () => import('./settings/settings-screen.js')),
      'SettingsScreen',
    ),
  }),
]);

export const router = createRouter({
  routeTree,
  basepath: new URL(document.baseURI).pathname,
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
