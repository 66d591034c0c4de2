import { runDaemon } from '#daemon';

import { takeLoginLinks } from './login-links.js';

// The daemon as `dev` and the demo start it: only here does it know of links that log an operator in.
process.exit(await runDaemon(process.env, { loginLinks: takeLoginLinks(process.env) }));
