/** Planned faults, and those that took effect on a call. */
export const FAULT_SCHEMA = `
CREATE TABLE fault (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  operation TEXT,
  accountId TEXT,
  fault TEXT NOT NULL,
  timesLeft INTEGER NOT NULL,
  delayMs INTEGER,
  status INTEGER,
  body TEXT,
  pageSize INTEGER
) STRICT;

CREATE TABLE servedFault (
  accountId TEXT NOT NULL,
  operation TEXT NOT NULL,
  fault TEXT NOT NULL,
  itemId TEXT,
  at TEXT NOT NULL
) STRICT;
`
