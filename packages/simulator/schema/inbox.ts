/** Configured responses of inboxes, and the requests that they received. */
export const INBOX_SCHEMA = `
CREATE TABLE inboxResponse (
  name TEXT PRIMARY KEY,
  status INTEGER NOT NULL,
  delayMs INTEGER NOT NULL,
  headers TEXT NOT NULL
) STRICT;

CREATE TABLE inboxEntry (
  sequence INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  at TEXT NOT NULL,
  method TEXT NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX inboxEntryByName ON inboxEntry (name);
`
