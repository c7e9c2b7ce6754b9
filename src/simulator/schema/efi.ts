/**
 * Locations that were made for no charge, or that a charge left; earlier revisions of charges; reports of the
 * statement.
 */
export const EFI_LOCATIONS_AND_REPORTS_SCHEMA = `
CREATE TABLE efiLocation (
  id INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  token TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;

CREATE TABLE chargeRevision (
  accountId TEXT NOT NULL,
  txid TEXT NOT NULL,
  revision INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (accountId, txid, revision)
) STRICT;

CREATE TABLE efiReport (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  day TEXT NOT NULL,
  records TEXT NOT NULL,
  requestedAt TEXT NOT NULL,
  readyAt TEXT NOT NULL,
  UNIQUE (accountId, day, records)
) STRICT;

ALTER TABLE charge ADD COLUMN locationCreatedAt TEXT;
`

/** What Efí's dialect knows besides: the account's configuration, as its customer wrote it. */
export const EFI_SCHEMA = `
CREATE TABLE configuration (
  accountId TEXT PRIMARY KEY REFERENCES account,
  body TEXT NOT NULL
) STRICT;
`
