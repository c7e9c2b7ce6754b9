/** Tables of Efí's API: webhooks by PIX key, the account's configuration, locations without a charge, and reports. */
export const EFI_SCHEMA = `
CREATE TABLE webhook (
  accountId TEXT NOT NULL REFERENCES account,
  key TEXT NOT NULL,
  url TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  PRIMARY KEY (accountId, key)
) STRICT;

CREATE TABLE efiConfiguration (
  accountId TEXT PRIMARY KEY REFERENCES account,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE efiLocation (
  id INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  token TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;

CREATE TABLE efiReport (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  day TEXT NOT NULL,
  records TEXT NOT NULL,
  requestedAt TEXT NOT NULL,
  readyAt TEXT NOT NULL,
  UNIQUE (accountId, day, records)
) STRICT;
`
