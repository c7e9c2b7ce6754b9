/** Tables of Efí's API: the account's configuration and reports. */
export const EFI_SCHEMA = `
CREATE TABLE efiConfiguration (
  accountId TEXT PRIMARY KEY REFERENCES account,
  body TEXT NOT NULL
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
