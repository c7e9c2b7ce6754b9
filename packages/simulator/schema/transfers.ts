/** The PIX that accounts send, their recipients' returns, and the transfers whose answer a fault withheld. */
export const TRANSFER_SCHEMA = `
CREATE TABLE transfer (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  endToEnd TEXT NOT NULL UNIQUE,
  cents INTEGER NOT NULL,
  status TEXT NOT NULL,
  silent INTEGER NOT NULL,
  plannedStatus TEXT NOT NULL,
  code TEXT,
  payerKey TEXT NOT NULL,
  message TEXT,
  recipient TEXT NOT NULL,
  plannedReturns TEXT NOT NULL,
  requestedAt TEXT NOT NULL,
  settledAt TEXT,
  isFromPanel INTEGER NOT NULL,
  listedAt TEXT,
  PRIMARY KEY (accountId, id)
) STRICT;
CREATE INDEX transferByTime ON transfer (accountId, requestedAt);

CREATE TABLE transferReturn (
  returnId TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  endToEnd TEXT NOT NULL,
  cents INTEGER NOT NULL,
  at TEXT NOT NULL,
  nature TEXT NOT NULL
) STRICT;
CREATE INDEX transferReturnByOriginal ON transferReturn (endToEnd);

CREATE TABLE withheldAnswer (
  accountId TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (accountId, id)
) STRICT;
`
