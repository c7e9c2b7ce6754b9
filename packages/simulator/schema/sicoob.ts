/** Tables of Sicoob's API: payments that were started and not confirmed, and the webhook of payments. */
export const SICOOB_SCHEMA = `
CREATE TABLE sicoobDraft (
  endToEnd TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  recipient TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  isExpired INTEGER NOT NULL
) STRICT;

CREATE TABLE sicoobPaymentWebhook (
  accountId TEXT PRIMARY KEY REFERENCES account,
  url TEXT NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;
`
