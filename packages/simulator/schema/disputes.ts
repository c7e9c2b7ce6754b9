/** Disputes and the replies to them. */
export const DISPUTE_SCHEMA = `
CREATE TABLE dispute (
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
CREATE INDEX disputeByTime ON dispute (accountId, openedAt);

CREATE TABLE disputeReply (
  accountId TEXT NOT NULL,
  disputeId TEXT NOT NULL,
  accept INTEGER,
  text TEXT NOT NULL,
  documents TEXT NOT NULL,
  at TEXT NOT NULL,
  FOREIGN KEY (accountId, disputeId) REFERENCES dispute
) STRICT;
`
