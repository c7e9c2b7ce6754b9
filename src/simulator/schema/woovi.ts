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

/** The key that signs notifications, a single row. */
export const WOOVI_NOTIFICATION_KEY_SCHEMA =
  'CREATE TABLE wooviNoticeKey (privateKeyPem TEXT NOT NULL) STRICT'
