/**
 * Tables of Woovi's API: webhooks by event, orders that wait for approval, files, txids of Woovi's choice, static
 * codes, checks of keys, subscriptions with their installments, and the key that signs notifications.
 */
export const WOOVI_SCHEMA = `
CREATE TABLE wooviWebhook (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  name TEXT NOT NULL,
  event TEXT NOT NULL,
  url TEXT NOT NULL,
  authorization TEXT,
  isActive INTEGER NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;
CREATE INDEX wooviWebhookByEvent ON wooviWebhook (accountId, event);

CREATE TABLE wooviPendingOrder (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  cents INTEGER NOT NULL,
  -- Null of an account.
  key TEXT,
  -- SimulatedRecipient of a code or an account as JSON; null of a key.
  recipient TEXT,
  message TEXT,
  checkEndToEnd TEXT,
  PRIMARY KEY (accountId, id)
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

CREATE TABLE wooviChargeTxid (
  accountId TEXT NOT NULL REFERENCES account,
  correlationID TEXT NOT NULL,
  txid TEXT NOT NULL,
  PRIMARY KEY (accountId, correlationID)
) STRICT;

CREATE TABLE wooviStaticCode (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  correlationID TEXT NOT NULL,
  identifier TEXT NOT NULL,
  name TEXT NOT NULL,
  cents INTEGER,
  comment TEXT,
  key TEXT NOT NULL,
  payload TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  isDeleted INTEGER NOT NULL,
  PRIMARY KEY (accountId, id),
  UNIQUE (accountId, correlationID),
  UNIQUE (accountId, identifier)
) STRICT;

CREATE TABLE wooviKeyCheck (
  endToEnd TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  isPaid INTEGER NOT NULL
) STRICT;

CREATE TABLE wooviUnknownKey (
  accountId TEXT NOT NULL REFERENCES account,
  key TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (accountId, key)
) STRICT;

CREATE TABLE wooviSubscription (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  correlationID TEXT NOT NULL,
  recurrenceId TEXT NOT NULL UNIQUE REFERENCES recurrence,
  name TEXT,
  comment TEXT,
  customer TEXT NOT NULL,
  cents INTEGER NOT NULL CHECK (cents > 0),
  dayDue INTEGER NOT NULL CHECK (dayDue >= 3),
  installmentCount INTEGER CHECK (installmentCount > 0),
  createdAt TEXT NOT NULL,
  PRIMARY KEY (accountId, id),
  UNIQUE (accountId, correlationID)
) STRICT;

CREATE TABLE wooviInstallment (
  id TEXT PRIMARY KEY,
  recurrenceId TEXT NOT NULL REFERENCES recurrence,
  number INTEGER NOT NULL,
  dueOn TEXT NOT NULL,
  cents INTEGER NOT NULL CHECK (cents > 0),
  txid TEXT,
  createdAt TEXT NOT NULL,
  UNIQUE (recurrenceId, number)
) STRICT;

CREATE TABLE wooviNotificationKey (privateKeyPem TEXT NOT NULL) STRICT;
`
