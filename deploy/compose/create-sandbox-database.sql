-- The sandbox is the partner: it shares the server, not the database.
create database wallet_sandbox;
