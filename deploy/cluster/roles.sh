#!/bin/sh
# Run once, by who owns the database, when it is made: a role for daemons, which reads and writes and makes no table.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$(cat "${DAEMON_PASSWORD_FILE:-/run/secrets/daemon-password}")" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --no-psqlrc --quiet <<'SQL'
create role treasury_daemon login password :'password';
-- For all tables that the owner makes later too.
alter default privileges for role current_user grant usage on schemas to treasury_daemon;
alter default privileges for role current_user grant select, insert, update, delete on tables to treasury_daemon;
alter default privileges for role current_user grant usage, select on sequences to treasury_daemon;
SQL
