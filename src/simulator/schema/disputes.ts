/** Disputes: what a provider blocks for one, who answered what, and which returns are of the mechanism's nature. */
export const DISPUTES_SCHEMA = `
CREATE TABLE med (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  side TEXT NOT NULL,
  endToEnd TEXT NOT NULL,
  protocol INTEGER NOT NULL,
  cents INTEGER NOT NULL CHECK (cents > 0),
  situation TEXT NOT NULL,
  status TEXT NOT NULL,
  blockedCents INTEGER NOT NULL CHECK (blockedCents >= 0),
  openedAt TEXT NOT NULL,
  dueAt TEXT NOT NULL,
  changedAt TEXT NOT NULL,
  decidedAt TEXT,
  PRIMARY KEY (accountId, id),
  UNIQUE (accountId, endToEnd)
) STRICT;
CREATE INDEX medByTime ON med (accountId, openedAt);

CREATE TABLE medReply (
  accountId TEXT NOT NULL,
  medId TEXT NOT NULL,
  accept INTEGER,
  text TEXT NOT NULL,
  documents TEXT NOT NULL,
  at TEXT NOT NULL,
  FOREIGN KEY (accountId, medId) REFERENCES med
) STRICT;

CREATE TABLE wooviFile (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  correlationID TEXT NOT NULL,
  purpose TEXT NOT NULL,
  fileName TEXT NOT NULL,
  contentType TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  PRIMARY KEY (accountId, id),
  UNIQUE (accountId, correlationID)
) STRICT;

ALTER TABLE account ADD COLUMN blockedCents INTEGER NOT NULL DEFAULT 0 CHECK (blockedCents >= 0);
ALTER TABLE refund ADD COLUMN nature TEXT NOT NULL DEFAULT 'ORIGINAL';
ALTER TABLE returned ADD COLUMN nature TEXT NOT NULL DEFAULT 'ORIGINAL';
`
