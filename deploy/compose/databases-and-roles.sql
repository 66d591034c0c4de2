-- What the daemon logs in as: it owns nothing. `loyaltyd migrate --grant`, as the owner, gives it what it needs.
create role daemon login password 'daemon';
-- The sandbox is the partner: it shares the server, not the database.
create database wallet_sandbox;
