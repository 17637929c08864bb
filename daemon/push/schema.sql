-- The tables of benchd-push, for the database's owner: benchd-push --print-schema | psql -v ON_ERROR_STOP=1 DATABASE
--
-- Creates missing tables and upgrades older ones; running it again changes nothing. Machines are roles
-- that are members of benchd_machine: each adds rows under its own name and reads none. Members of
-- benchd_reader read all rows.
BEGIN;
SELECT pg_advisory_xact_lock(hashtext('benchd.summaries'));
CREATE SCHEMA IF NOT EXISTS benchd;
CREATE TABLE IF NOT EXISTS benchd.schema_version (version integer NOT NULL);

DO $schema$
DECLARE
  present integer := coalesce((SELECT max(version) FROM benchd.schema_version), 0);
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'benchd_machine') THEN
    CREATE ROLE benchd_machine NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'benchd_reader') THEN
    CREATE ROLE benchd_reader NOLOGIN;
  END IF;

  IF present < 1 THEN
    CREATE TABLE benchd.summaries (
      machine text NOT NULL DEFAULT current_user,
      session text NOT NULL,
      position integer NOT NULL,
      ended_at timestamptz NOT NULL,
      benchmark text NOT NULL,
      series text NOT NULL,
      metric text NOT NULL,
      unit text NOT NULL,
      better text,
      reference text NOT NULL,
      candidate text NOT NULL,
      reference_commit text,
      candidate_commit text,
      candidate_description text,
      n_reference bigint NOT NULL,
      n_candidate bigint NOT NULL,
      mean_reference double precision,
      mean_candidate double precision,
      change double precision,
      change_lo double precision,
      change_hi double precision,
      verdict text NOT NULL,
      hardware text NOT NULL,
      kernel text NOT NULL,
      settings text NOT NULL,
      PRIMARY KEY (machine, session, position)
    );
    CREATE INDEX summaries_by_benchmark ON benchd.summaries (benchmark, ended_at DESC);
    ALTER TABLE benchd.summaries ENABLE ROW LEVEL SECURITY;
    CREATE POLICY adds_its_own ON benchd.summaries FOR INSERT TO benchd_machine
      WITH CHECK (machine = current_user);
    CREATE POLICY reads_all ON benchd.summaries FOR SELECT TO benchd_reader USING (true);
    GRANT USAGE ON SCHEMA benchd TO benchd_machine, benchd_reader;
    GRANT INSERT ON benchd.summaries TO benchd_machine;
    GRANT SELECT ON benchd.summaries TO benchd_reader;
    GRANT SELECT ON benchd.schema_version TO benchd_machine, benchd_reader;
  END IF;

  -- For [push] commands and labels.
  IF present < 2 THEN
    ALTER TABLE benchd.summaries ADD COLUMN command text;
    ALTER TABLE benchd.summaries ADD COLUMN labels jsonb;
  END IF;

  IF present < 2 THEN
    DELETE FROM benchd.schema_version;
    INSERT INTO benchd.schema_version VALUES (2);
  END IF;
END
$schema$;
COMMIT;
