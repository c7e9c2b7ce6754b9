/** Table of Sicoob's API: payments that were started and not confirmed. */
export const SICOOB_SCHEMA = `
CREATE TABLE sicoobDraft (
  endToEnd TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  recipient TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  isExpired INTEGER NOT NULL
) STRICT;
`
