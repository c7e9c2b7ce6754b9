/** What a fault answers, which faults had their effect, and from when on a received PIX is in its provider's books. */
export const FAULT_DETAILS_SCHEMA = `
ALTER TABLE fault ADD COLUMN status INTEGER;
ALTER TABLE fault ADD COLUMN body TEXT;
ALTER TABLE fault ADD COLUMN pageSize INTEGER;

CREATE TABLE servedFault (
  accountId TEXT NOT NULL,
  operation TEXT NOT NULL,
  fault TEXT NOT NULL,
  itemId TEXT,
  at TEXT NOT NULL
) STRICT;

ALTER TABLE receipt ADD COLUMN listedAt TEXT;
`
