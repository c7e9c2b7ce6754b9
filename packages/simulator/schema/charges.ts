/** Charges and their earlier revisions, the PIX that accounts receive, and the refunds of those. */
export const CHARGE_SCHEMA = `
CREATE TABLE charge (
  accountId TEXT NOT NULL REFERENCES account,
  txid TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  locationId INTEGER NOT NULL,
  locationCreatedAt TEXT,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL,
  cents INTEGER NOT NULL,
  key TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  expiresInSeconds INTEGER NOT NULL,
  payload TEXT NOT NULL,
  silent INTEGER NOT NULL,
  details TEXT NOT NULL,
  PRIMARY KEY (accountId, txid)
) STRICT;

CREATE TABLE chargeRevision (
  accountId TEXT NOT NULL,
  txid TEXT NOT NULL,
  revision INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (accountId, txid, revision)
) STRICT;

CREATE TABLE receipt (
  accountId TEXT NOT NULL REFERENCES account,
  endToEnd TEXT NOT NULL,
  txid TEXT,
  cents INTEGER NOT NULL,
  at TEXT NOT NULL,
  key TEXT NOT NULL,
  message TEXT,
  payerName TEXT NOT NULL,
  payerDocument TEXT NOT NULL,
  payerIspb TEXT NOT NULL,
  listedAt TEXT,
  PRIMARY KEY (accountId, endToEnd)
) STRICT;
CREATE INDEX receiptByTxid ON receipt (accountId, txid);
CREATE INDEX receiptByTime ON receipt (accountId, at);

CREATE TABLE refund (
  accountId TEXT NOT NULL REFERENCES account,
  endToEnd TEXT NOT NULL,
  id TEXT NOT NULL,
  returnId TEXT NOT NULL,
  cents INTEGER NOT NULL,
  status TEXT NOT NULL,
  silent INTEGER NOT NULL,
  plannedStatus TEXT NOT NULL,
  reason TEXT,
  requestedAt TEXT NOT NULL,
  settledAt TEXT,
  nature TEXT NOT NULL,
  listedAt TEXT,
  description TEXT,
  PRIMARY KEY (accountId, endToEnd, id)
) STRICT;
CREATE INDEX refundById ON refund (accountId, id);
CREATE INDEX refundByReturnId ON refund (accountId, returnId);
`
