import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';

import { ErrorPanel } from './components/error-panel.js';
import { NotFound } from './shell/not-found.js';
import { parseSearch, textOnly, writeSearch } from './shell/search-texts.js';
import { Shell } from './shell/shell.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, validateSearch: textOnly });
const within = { getParentRoute: () => root };

/** Each screen is a file of its own that is loaded when it is first gone to. */
const routeTree = root.addChildren([
  createRoute({
    ...within,
    path: '/',
    component: lazyRouteComponent(async () => import('./now/now-screen.js'), 'NowScreen'),
  }),
  createRoute({
    ...within,
    path: '/intents',
    component: lazyRouteComponent(async () => import('./intents/intents-screen.js'), 'IntentsScreen'),
  }),
  createRoute({
    ...within,
    path: '/intents/$id',
    component: lazyRouteComponent(async () => import('./intent/intent-screen.js'), 'IntentScreen'),
  }),
  createRoute({
    ...within,
    path: '/members/$program/$memberId',
    component: lazyRouteComponent(async () => import('./member/member-screen.js'), 'MemberScreen'),
  }),
  createRoute({
    ...within,
    path: '/failures',
    component: lazyRouteComponent(async () => import('./failures/failures-screen.js'), 'FailuresScreen'),
  }),
  createRoute({
    ...within,
    path: '/replays',
    component: lazyRouteComponent(async () => import('./replays/replays-screen.js'), 'ReplaysScreen'),
  }),
  createRoute({
    ...within,
    path: '/replays/new',
    component: lazyRouteComponent(async () => import('./replays/new-replay-screen.js'), 'NewReplayScreen'),
  }),
  createRoute({
    ...within,
    path: '/replays/$id',
    component: lazyRouteComponent(async () => import('./replays/replay-screen.js'), 'ReplayScreen'),
  }),
  createRoute({
    ...within,
    path: '/quarantine',
    component: lazyRouteComponent(async () => import('./quarantine/quarantine-screen.js'), 'QuarantineScreen'),
  }),
  createRoute({
    ...within,
    path: '/quarantine/$id',
    component: lazyRouteComponent(async () => import('./quarantine/record-screen.js'), 'RecordScreen'),
  }),
  createRoute({
    ...within,
    path: '/producers',
    component: lazyRouteComponent(async () => import('./producers/producers-screen.js'), 'ProducersScreen'),
  }),
  createRoute({
    ...within,
    path: '/pauses',
    component: lazyRouteComponent(async () => import('./work/pauses-screen.js'), 'PausesScreen'),
  }),
  createRoute({
    ...within,
    path: '/jobs',
    component: lazyRouteComponent(async () => import('./work/jobs-screen.js'), 'JobsScreen'),
  }),
  createRoute({
    ...within,
    path: '/jobs/$kind/$id',
    component: lazyRouteComponent(async () => import('./work/job-screen.js'), 'JobScreen'),
  }),
  createRoute({
    ...within,
    path: '/approvals',
    component: lazyRouteComponent(async () => import('./work/approvals-screen.js'), 'ApprovalsScreen'),
  }),
  createRoute({
    ...within,
    path: '/audit',
    component: lazyRouteComponent(async () => import('./audit/audit-screen.js'), 'AuditScreen'),
  }),
  createRoute({
    ...within,
    path: '/settings',
    component: lazyRouteComponent(async () => import('./settings/settings-screen.js'), 'SettingsScreen'),
  }),
]);

export const router = createRouter({
  routeTree,
  basepath: new URL(document.baseURI).pathname,
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorPanel,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
