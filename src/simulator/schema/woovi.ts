/** What Woovi's dialect knows besides: webhooks by event, and payments that wait for their approval. */
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

CREATE TABLE wooviPayment (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  cents INTEGER NOT NULL,
  key TEXT NOT NULL,
  message TEXT,
  PRIMARY KEY (accountId, id)
) STRICT;

CREATE INDEX refundById ON refund (accountId, id);
`

/** The txids that Woovi chose itself, and the static codes of an account. */
export const WOOVI_CODES_SCHEMA = `
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
  isDeleted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (accountId, id),
  UNIQUE (accountId, correlationID),
  UNIQUE (accountId, identifier)
) STRICT;
`

/** The key that signs notifications, a single row. */
export const WOOVI_NOTIFICATION_KEY_SCHEMA =
  'CREATE TABLE wooviNoticeKey (privateKeyPem TEXT NOT NULL) STRICT'
