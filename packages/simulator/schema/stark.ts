/**
 * Tables of Stark Bank's API: verified accounts, transfers, webhooks, and the key that signs events. The other objects of the
 * API are views of charges, receipts, refunds and movements.
 */
export const STARK_SCHEMA = `
CREATE TABLE starkVerifiedAccount (
  number INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  taxId TEXT NOT NULL,
  key TEXT,
  bank TEXT NOT NULL,
  tags TEXT NOT NULL,
  plannedStatus TEXT NOT NULL,
  verifiedAt TEXT NOT NULL,
  isCanceled INTEGER NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;

CREATE TABLE starkTransfer (
  number INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  transferId TEXT NOT NULL,
  externalId TEXT,
  verifiedAccountNumber INTEGER,
  cents INTEGER NOT NULL CHECK (cents > 0),
  receiver TEXT NOT NULL,
  texts TEXT NOT NULL,
  tags TEXT NOT NULL,
  state TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  updatedAt TEXT NOT NULL,
  UNIQUE (accountId, transferId)
) STRICT;

CREATE TABLE starkWebhook (
  number INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  url TEXT NOT NULL,
  subscriptions TEXT NOT NULL
) STRICT;

CREATE TABLE starkSigningKey (privateKeyPem TEXT NOT NULL, createdAt TEXT NOT NULL) STRICT;
`

/** Tables of the recurrences of Stark Bank's API, and of the requests to debit their payers: views of recurrences and of the tries of their charges. */
export const STARK_RECURRENCE_SCHEMA = `
CREATE TABLE starkSubscription (
  number INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  recurrenceId TEXT NOT NULL UNIQUE REFERENCES recurrence,
  externalId TEXT,
  details TEXT NOT NULL,
  tags TEXT NOT NULL,
  dueAt TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  UNIQUE (accountId, externalId)
) STRICT;

CREATE TABLE starkPullRequest (
  number INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  subscriptionNumber INTEGER NOT NULL REFERENCES starkSubscription,
  txid TEXT NOT NULL,
  day TEXT NOT NULL,
  externalId TEXT,
  details TEXT NOT NULL,
  tags TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  UNIQUE (accountId, externalId),
  UNIQUE (accountId, txid, day)
) STRICT;
`
