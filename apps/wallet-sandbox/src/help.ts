/** What the program says of itself. */
export const helpText = `Usage: npm run sandbox

Serves the partner's Wallet Card API on this machine, with faults on demand, until SIGTERM or SIGINT. Prints one JSON line
when ready: {"ready":true,"baseUrl":"...","authUrl":"..."}. Set up by environment variables:

  SANDBOX_HOST, SANDBOX_PORT                  where it listens (127.0.0.1, 4010; port 0: any free one)
  SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET    what a client logs in with (sandbox, sandbox)
  SANDBOX_TOKEN_TTL_S                         seconds for which a token lasts (3600)
  SANDBOX_SEED                                a YAML file of brands, programs, tiers and types (else the default ones)
  DATABASE_URL                                a Postgres to keep all in (else one of its own, gone with the process)

Options:
  --help    this text`;
