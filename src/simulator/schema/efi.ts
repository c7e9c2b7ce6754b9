/** What Efí's dialect knows besides: the account's configuration, as its customer wrote it. */
export const EFI_SCHEMA = `
CREATE TABLE configuration (
  accountId TEXT PRIMARY KEY REFERENCES account,
  body TEXT NOT NULL
) STRICT;
`
