/** Tables of the banks over the Central Bank's API: webhooks by PIX key, those of sent PIX by their kind, and locations without a charge. */
export const BACEN_SCHEMA = `
CREATE TABLE webhook (
  accountId TEXT NOT NULL REFERENCES account,
  key TEXT NOT NULL,
  url TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  PRIMARY KEY (accountId, key)
) STRICT;

CREATE TABLE paymentWebhook (
  accountId TEXT NOT NULL REFERENCES account,
  key TEXT NOT NULL,
  url TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  PRIMARY KEY (accountId, key)
) STRICT;

CREATE TABLE pixLocation (
  id INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  token TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;
`
